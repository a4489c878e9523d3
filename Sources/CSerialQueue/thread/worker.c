#include "thread/worker.h"

#include "memory/blocks.h"
#include "platform/clock.h"
#include "platform/memory.h"
#include "platform/mutex.h"
#include "platform/thread.h"
#include "thread/process.h"

#include <errno.h>

struct sq__worker {
    sq__thread_start_t start;
    sq__token_t *token;             /* F */
    sq__wait_id_t wait_id;          /* P  what the next post grants */
    sq__worker_function_t function; /* P  NULL: the worker ends */
    void *argument;                 /* F */
};

sq__outcome_t sq__worker_sleep(sq__token_t *token, sq__wait_id_t wait_id, uint64_t pause) {
    uint32_t taken;
    while (sq__blocks_is_large(&sq__segments, &taken)) {
        sq__outcome_t outcome = sq__token_timed_sleep(token, wait_id, sq__clock_now() + SQ__BLOCKS_COOLS_AFTER);
        if (outcome != SQ__OPEN) {
            return outcome;
        }
        sq__blocks_cool(&sq__segments, taken);
    }
    return pause == SQ__NEVER ? sq__token_sleep(token, wait_id, SQ__NEVER) : sq__token_timed_sleep(token, wait_id, sq__clock_now() + pause);
}

/* T. Waits for the next post: the wait is over on return. `slept_briefly` is used by a worker that yields: it says that the last sleep was brief.
 * Then the thread that posts may run on this processor, and one yield may replace a sleep and a wake-up. After a long sleep the worker does not
 * yield: the scheduler charges a thread for yielding, and wakes it late the next time. */
static void wait_for_post(sq__token_t *token, sq__wait_id_t wait_id, sq__worker_manner_t manner, bool *slept_briefly) {
    if (sq__token_spin(token, wait_id, SQ__SPIN_WORKER, SQ__WORKER_SPINS) != SQ__OPEN) {
        return;
    }
    if (manner != SQ__WORKER_YIELDS) {
        (void)sq__worker_sleep(token, wait_id, SQ__NEVER);
        return;
    }
    if (*slept_briefly && sq__token_yield_once(token, wait_id, SQ__SPIN_WORKER_YIELD) != SQ__OPEN) {
        return;
    }
    uint64_t since = sq__clock_now();
    (void)sq__worker_sleep(token, wait_id, SQ__NEVER);
    *slept_briefly = sq__clock_now() - since < SQ__BRIEF_SLEEP;
}

/* The body of the thread. Calls the function after each post, until it returns false or the worker is stopped. Frees the worker. Gives its token
 * back, unless this is the child of a fork. */
static void worker_main(sq__worker_t *worker, sq__worker_manner_t manner) {
    const uint32_t process = sq__process();
    sq__token_t *token = worker->token;
    sq__wait_id_t wait_id = worker->wait_id;
    bool wanted = true, slept_briefly = false;
    while (wanted) {
        wait_for_post(token, wait_id, manner, &slept_briefly);
        if (worker->function == NULL) {
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
    error = sq__thread_start(&worker->start, manner == SQ__WORKER_YIELDS ? yield_between_posts : sleep_between_posts, worker, kind);
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

/* Both fields are read before the grant: after it the worker may be freed. Tokens are never freed. */
void sq__worker_post(sq__worker_t *worker) { sq__token_grant(worker->token, worker->wait_id); }

void sq__worker_stop(sq__worker_t *worker) {
    worker->function = NULL;
    sq__worker_post(worker);
}
