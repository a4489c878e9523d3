#include "thread/worker.h"

#include "memory/blocks.h"
#include "platform/clock.h"
#include "platform/memory.h"
#include "platform/mutex.h"
#include "platform/thread.h"
#include "thread/process.h"
#include "thread/spare.h"

#include <errno.h>

/* After how many nanoseconds without a post a worker rests. */
#ifndef SQ__WORKER_RESTS_AFTER
#define SQ__WORKER_RESTS_AFTER UINT64_C(500000000)
#endif

/* Sleeps until the next post. While the store keeps much memory, first for a fifth of a second: if nobody has taken a segment in that
 * time, the worker returns the memory to the system. False: it may rest, and no post has come for a long time. */
static bool sleep_for_post(sq__token_t *token, sq__wait_id_t wait_id, bool may_rest) {
    uint32_t taken;
    while (sq__blocks_is_large(&sq__segments, &taken)) {
        if (sq__token_doze(token, wait_id, sq__clock_now() + SQ__BLOCKS_COOLS_AFTER) != SQ__OPEN) {
            return true;
        }
        sq__blocks_cool(&sq__segments, taken);
    }
    if (may_rest) {
        return sq__token_doze(token, wait_id, sq__clock_now() + SQ__WORKER_RESTS_AFTER) != SQ__OPEN;
    }
    sq__token_sleep(token, wait_id, SQ__NEVER);
    return true;
}

/* Waits for the next post. `slept_briefly` is used by a worker that yields: it says that the last sleep was brief. Then
 * the thread that posts may run on this processor, and one yield may replace a sleep and a wake-up. After a long sleep the worker does
 * not yield: the scheduler charges a thread for yielding, and wakes it late the next time. Returns false as sleep_for_post does. */
static bool wait_for_post(sq__token_t *token, sq__wait_id_t wait_id, sq__worker_manner_t manner, bool *slept_briefly) {
    if (sq__token_spin(token, wait_id, SQ__SPIN_WORKER, SQ__WORKER_SPINS) != SQ__OPEN) {
        return true;
    }
    if (manner != SQ__WORKER_YIELDS) {
        return sleep_for_post(token, wait_id, manner == SQ__WORKER_RESTS);
    }
    if (*slept_briefly && sq__token_yield_once(token, wait_id, SQ__SPIN_WORKER_YIELD) != SQ__OPEN) {
        return true;
    }
    uint64_t since = sq__clock_now();
    (void)sleep_for_post(token, wait_id, false);
    *slept_briefly = sq__clock_now() - since < SQ__BRIEF_SLEEP;
    return true;
}

/* The worker rests, and its thread runs the next one that needs a thread. NULL: none does, and the thread ends. */
static sq__worker_t *rest(sq__worker_t *worker, sq__token_t *token, sq__wait_id_t wait_id) {
    sq__worker_t *next = sq__spare_wait(worker, token, wait_id);
    if (next != NULL) {
        sq__thread_take_name(&next->start);
        next->token = token;
    }
    return next;
}

static void worker_main(sq__worker_t *worker, sq__worker_manner_t manner) {
    const uint32_t process = sq__process();
    sq__token_t *token = worker->token;
    sq__wait_id_t wait_id = worker->wait_id;
    bool wanted = true, slept_briefly = false;
    while (wanted) {
        if (!wait_for_post(token, wait_id, manner, &slept_briefly)) {
            worker = rest(worker, token, wait_id);
        }
        if (worker == NULL || worker->function == NULL) {
            break;
        }
        /* Before the call: the next post may come before the function has returned. */
        wait_id = worker->wait_id = sq__token_prepare(token);
        wanted = worker->function(worker->argument);
    }
    if (sq__process() == process) { /* else its function has forked, and this is the child: the token is the parent's */
        sq__token_recycle(token);
    }
    sq__memory_free(worker);
}

/* A thread's body for each manner. */
static void sleep_between_posts(void *worker) { worker_main(worker, SQ__WORKER_SLEEPS); }
static void yield_between_posts(void *worker) { worker_main(worker, SQ__WORKER_YIELDS); }
static void rest_between_posts(void *worker) { worker_main(worker, SQ__WORKER_RESTS); }

static void (*const bodies[])(void *) = { [SQ__WORKER_SLEEPS] = sleep_between_posts, [SQ__WORKER_YIELDS] = yield_between_posts,
                                          [SQ__WORKER_RESTS] = rest_between_posts };

int sq__worker_start(sq__worker_t **result, sq__worker_manner_t manner, sq__worker_function_t function, void *argument,
                     const sq__thread_kind_t *kind) {
    int error = ENOMEM;
    sq__worker_t *worker = sq__memory(sizeof *worker);
    if (worker == NULL) {
        return error;
    }
    sq__token_t *token = sq__token_acquire();
    if (token == NULL) {
        goto no_token;
    }
    *worker = (sq__worker_t){ .token = token, .wait_id = sq__token_prepare(token), .function = function, .argument = argument };
    error = sq__thread_start(&worker->start, bodies[manner], worker, kind);
    if (error) {
        goto no_thread;
    }
    *result = worker;
    return 0;
no_thread:
    sq__token_recycle(token);
no_token:
    sq__memory_free(worker);
    return error;
}

/* Grants the worker's wait. False: it rests. Both fields are read before the grant: after it the worker may be freed. Tokens are never freed. */
static inline bool wakes(sq__worker_t *worker) { return sq__token_grant(worker->token, worker->wait_id); }

void sq__worker_post(sq__worker_t *worker) {
    if (__builtin_expect(!wakes(worker), 0)) {
        sq__spare_call(worker);
    }
}

void sq__worker_stop(sq__worker_t *worker) {
    worker->function = NULL;
    if (!wakes(worker)) {
        sq__spare_forget();
        sq__memory_free(worker);
    }
}
