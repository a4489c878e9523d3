/* request.h: what makes a flight recorder write a file.
 *
 * DESIGN. A request comes from any thread, also from a signal handler, and at any moment of the beginning and end of a trace. So it touches
 * only what belongs to no trace and is never freed: a counter, and a wake-up on which the reader of the trace sleeps. A request that is made
 * while one trace ends and the next one begins may reach either.
 *
 * The counter tells what was asked for, which is always written, from what the library itself wants at each deadlock and stall: a program
 * that has one after the other must not fill the disk, so the reader limits these (session_read.c). */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* A value of the counter: the upper half counts what was asked for, the lower half deadlocks and stalls. */
typedef uint64_t sq__requests_t;

#define SQ__REQUEST_AUTOMATIC ((sq__requests_t)1)
#define SQ__REQUEST_ASKED_FOR ((sq__requests_t)1 << 32)

/* True: something was asked for between these two values. */
static inline bool sq__requests_ask(sq__requests_t before, sq__requests_t now) { return before >> 32 != now >> 32; }

/* Asks a flight recorder for a file; without one it has no effect. May be called in a signal handler. */
void sq__request(sq__requests_t what);

/* Asks for a file before the process ends, and waits until it is written; a stream is written up to here. At most this long, and without
 * a lock: the calling thread may hold any. */
void sq__request_at_end(uint64_t nanoseconds);

/* The rest is for session.c. A trace begins, or ends: from now on there is, or is not, a reader that answers requests. */
void sq__requests_begin(bool is_flight);
void sq__requests_end(void);

/* What was requested so far. */
sq__requests_t sq__requests_made(void);

/* For the reader: what was requested until then is in the file, or will never be. */
void sq__requests_answer(sq__requests_t until);

/* For the reader: sleeps until there is a request, at most this long (SQ__NEVER: without a limit). */
void sq__requests_await(uint64_t nanoseconds);

/* Wakes the reader without a request. */
void sq__requests_wake_reader(void);
