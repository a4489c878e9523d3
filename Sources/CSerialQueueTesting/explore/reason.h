/* reason.h: whether two runs have failed for the same reason.
 *
 * DESIGN. A message says what failed, where, and often with which values: "balance is 7, not 10 (bank.c:12)". Another schedule of the same
 * failure has other values, or names two threads in the other order. So a reason is the set of words of the message, each as often as it
 * occurs, without numbers and without what ends a clause; a number behind a colon is a line and counts. The messages of the library begin with what kind of failure it is. */
#pragma once

#include <stdint.h>

/* Equal for messages with the same reason. NULL: there was no memory for the message. */
uint64_t sq__reason(const char *message);
