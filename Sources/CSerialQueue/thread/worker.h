/* worker.h: a thread that runs a function each time it is posted.
 *
 * DESIGN. A worker sleeps on a token of its own, not on its thread's: a task that it runs may wait on the thread's. One
 * thread at a time has the right to post. It posts once, and the worker calls its function once. The next post may come as soon
 * as the function has begun; so the next wait is prepared before the function is called.
 *
 * A worker frees itself after it was stopped, or after its function has returned false. */
#pragma once

#include "platform/thread.h"
#include "thread/token.h"

#include <stdbool.h>

typedef struct sq__worker sq__worker_t;

/* What a post calls. Returns false to end the worker: then it must not be posted again. */
typedef bool (*sq__worker_function_t)(void *argument);

/* Starts the thread. On success 0 and *worker, waiting for its first post; else an errno code. The name is copied. */
int sq__worker_start(sq__worker_t **worker, sq__worker_function_t function, void *argument, const sq__thread_kind_t *kind);

/* Wakes the worker, which calls its function once. The next post is legal once the function has begun for this one. */
void sq__worker_post(sq__worker_t *worker);

/* Ends the worker, in place of a post. It must not be touched again. */
void sq__worker_stop(sq__worker_t *worker);

/* By a thread without work, before it sleeps: pauses for a while, and, if its last sleep was brief, then yields once (spin.h). *slept_at: when that sleep
 * began; here it is set for the next one, so that the clock is not read between a wake-up and the work. On one processor each submission would otherwise
 * wake it, and it would interrupt the submitter, run one task and sleep. But if it then finds callers in line, of sync (sq__baton_next) or for
 * room (sq__capacity_give_room), the yield was no gain: without it fewer would be there, and they sleep, one after the other. SQ__OPEN: it is to sleep. */
sq__outcome_t sq__worker_look(sq__token_t *token, sq__wait_id_t wait_id, uint64_t *slept_at);

/* Sleeps until the wait is decided, or for `pause` nanoseconds (SQ__NEVER: without a limit), and then returns SQ__OPEN. While the store keeps much
 * memory, first for a fifth of a second: if nobody has taken a segment in that time, the caller returns the memory to the system. */
sq__outcome_t sq__worker_sleep(sq__token_t *token, sq__wait_id_t wait_id, uint64_t pause);
