/* trap.h: the tape of a schedule that ends the process: by a trap, an abort or a wild pointer. */
#pragma once

#include "platform/fault.h"

/* For sq__fault_watch: if the calling thread belongs to a run, writes the tape of that run to stderr. */
void sq__explore_trapped(const char *signal);
