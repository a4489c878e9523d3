/* inject.h: the system calls that a test can count and make fail.
 *
 * DESIGN. The test programs are linked with --wrap (see make/check.mk): every call of these functions from the library's
 * archive or from a test first comes here, and is passed on to the system or to the sanitizer. That works alike in every
 * flavour; our own malloc would not work with a sanitizer. Calls from inside the C library are not seen. The counts are
 * for the whole process; enable a failure only while nothing else is running. */
#ifndef INJECT_H
#define INJECT_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

int __real_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*body)(void *), void *argument);

/* Successful allocations since the start (not those of segments, which a store has); what is allocated and not freed, in blocks and in bytes as the C library
 * accounts for them (its own header included). */
uint64_t allocations(void);
long live_blocks(void);
long live_bytes(void);

/* Successful pthread_create calls since the start, those of `spawn` not included. */
uint64_t threads_started(void);

/* From now on the nth call (1 is the next) fails, with ENOMEM or EAGAIN. Segments of
 * queues are allocations; FAIL_PAGES: of pages that come from the system. With `forever` every one after it as well. */
typedef enum failure { FAIL_ALLOCATION, FAIL_THREAD, FAIL_PAGES } failure_t;
void fail_nth(failure_t what, uint64_t nth, bool forever);
/* From now on about one call in `one_in` fails, drawn from the seed. */
void fail_some(failure_t what, uint64_t one_in);
/* Returns when this many calls have failed since the last fail_nth or fail_some. */
void await_failures(failure_t what, uint64_t count);
/* Nothing fails any more. Returns how many calls were made to fail since the last fail_nth or fail_some. */
uint64_t fail_nothing(void);

/* Threads that are started from now on, at most 1,024, do nothing before let_threads_begin is called. Call both while no other thread starts one. */
void hold_threads(void);
void let_threads_begin(void);

/* From now on about one in `one_in` waits on a condition returns immediately without a signal; 0: none. */
void wake_spuriously(uint64_t one_in);
uint64_t spurious_wakes(void);

/* Waits on a condition with a deadline, since the start. A thread that should sleep but whose deadline is wrong makes many. */
uint64_t timed_waits(void);

/* Calls `call` once, before this thread's next wait on a condition, with the mutex held. */
void do_before_next_wait(void (*call)(void *context), void *context);

/* The next `count` waits with a deadline return at once, as if the deadline had passed. */
void end_waits_early(uint64_t count);

/* From now on pages of the system lie beyond the 48 bits that addresses have here; it must not be touched. */
void give_high_memory(void);

#endif
