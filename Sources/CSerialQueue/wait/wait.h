/* wait.h: a thread waits until another thread or a queue has done something.
 *
 * DESIGN. Every wait inside a library call has three steps: begin (prepare the thread's token); the caller makes the wait known to
 * the thread that will grant it; end (spin, check for a deadlock, sleep). */
#pragma once

#include "include/sq_await.h"
#include "wait/wait_record.h"

/* 0: a call with this deadline may wait; else EAGAIN or ETIMEDOUT. */
int sq__wait_check_deadline(sq_time_t deadline);

/* Begins a wait, for which the caller has set `queue` or `subject`, and what else it knows; the rest is 0. `is_turn`: it waits for a turn of its
 * own, and not only for a moment. Returns 0 or ENOMEM. */
int sq__wait_begin(sq__wait_t *wait, bool is_turn);

/* Called instead of sq__wait_end if no other thread knows about the wait. */
void sq__wait_cancel(sq__wait_t *wait);

/* Waits. Returns 0 (granted: the granter's writes are visible), ESHUTDOWN (refused), ETIMEDOUT or EDEADLK (it will never be
 * granted), or ESTALE (a task that this wait ran has forked, and this is the child). */
int sq__wait_end(sq__wait_t *wait, sq_time_t deadline);

/* The same, but spins only briefly, and sleeps only if its call has begun: then the call is waited for to its end. */
int sq__wait_briefly(sq__wait_t *wait);

/* Calls the functions of awaits that have ended, from this one on; NULL: none. With no lock held. */
void sq__awaits_end(sq_await_entry_t *first);
