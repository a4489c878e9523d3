#include "thread/worker.h"

#include "memory/blocks.h"
#include "platform/clock.h"
#include "platform/memory.h"
#include "platform/mutex.h"
#include "platform/thread.h"
#include "thread/process.h"
#include "thread/token.h"

#include <errno.h>

/* Fields: F fixed once started; P used by the thread that posts next, and by the worker from a post until it calls its function. */
struct sq__worker {
    sq__token_t *token;             /* F */
    sq__worker_function_t function; /* F */
    void *argument;                 /* F */
    sq__worker_manner_t manner;     /* F */
    sq__wait_id_t wait_id;                /* P  what the next post grants */
    bool stopping;                  /* P */
    uint32_t process;               /* F  in which it was started */
    sq__thread_start_t start;       /* F */
};

/* Sleeps until the next post. While the store keeps much memory, first for a fifth of a second: if nobody has taken a segment in that
 * time, the worker returns the memory to the system. */
static void sleep_for_post(sq__token_t *token, sq__wait_id_t wait_id) {
    uint32_t taken;
    while (sq__blocks_is_large(&sq__segments, &taken)) {
        if (sq__token_doze(token, wait_id, sq__clock_now() + SQ__BLOCKS_COOLS_AFTER) != SQ__OPEN) {
            return;
        }
        sq__blocks_cool(&sq__segments, taken);
    }
    sq__token_sleep(token, wait_id, SQ__NEVER);
}

/* Waits for the next post. `slept_briefly` is NULL for a worker that does not yield; else it says that the last sleep was brief. Then
 * the thread that posts may run on this processor, and one yield may replace a sleep and a wake-up. After a long sleep the worker does
 * not yield: the scheduler charges a thread for yielding, and wakes it late the next time. */
static void wait_for_post(sq__token_t *token, sq__wait_id_t wait_id, bool *slept_briefly) {
    if (sq__token_spin(token, wait_id, SQ__SPIN_WORKER, SQ__WORKER_SPINS) != SQ__OPEN) {
        return;
    }
    if (slept_briefly == NULL) {
        sleep_for_post(token, wait_id);
        return;
    }
    if (*slept_briefly && sq__token_yield_once(token, wait_id, SQ__SPIN_WORKER_YIELD) != SQ__OPEN) {
        return;
    }
    uint64_t since = sq__clock_now();
    sleep_for_post(token, wait_id);
    *slept_briefly = sq__clock_now() - since < SQ__BRIEF_SLEEP;
}

static void worker_main(void *argument) {
    sq__worker_t *worker = argument;
    sq__token_t *token = worker->token;
    sq__wait_id_t wait_id = worker->wait_id;
    const bool yields = worker->manner == SQ__WORKER_YIELDS;
    bool wanted = true, slept_briefly = false;
    while (wanted) {
        wait_for_post(token, wait_id, yields ? &slept_briefly : NULL);
        if (worker->stopping) {
            break;
        }
        /* Before the call: the next post may come before the function has returned. */
        wait_id = worker->wait_id = sq__token_prepare(token);
        wanted = worker->function(worker->argument);
    }
    if (sq__process() == worker->process) { /* else its function has forked, and this is the child: the token is the parent's */
        sq__token_recycle(token);
    }
    sq__memory_free(worker);
}

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
    *worker = (sq__worker_t){ .token = token, .manner = manner, .function = function, .argument = argument, .wait_id = sq__token_prepare(token),
                               .process = sq__process() };
    error = sq__thread_start(&worker->start, worker_main, worker, kind);
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

void sq__worker_post(sq__worker_t *worker) {
    /* Both fields are read before the grant: after it the worker may be freed. Tokens are never freed. A worker's wait is never
     * withdrawn, so the grant succeeds. */
    sq__token_grant(worker->token, worker->wait_id);
}

void sq__worker_stop(sq__worker_t *worker) {
    worker->stopping = true;
    sq__worker_post(worker);
}
