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

/* After a long sleep it does not yield: the scheduler charges a thread for yielding, and wakes it late the next time. */
sq__outcome_t sq__worker_look(sq__token_t *token, sq__wait_id_t wait_id, uint64_t *slept_at) {
    sq__outcome_t outcome = sq__token_spin(token, wait_id, SQ__SPIN_WORKER, SQ__WORKER_SPINS);
    if (outcome == SQ__OPEN) {
        uint64_t now = sq__clock_now();
        outcome = now - *slept_at < SQ__BRIEF_SLEEP ? sq__token_yield_once(token, wait_id, SQ__SPIN_WORKER_YIELD) : SQ__OPEN;
        *slept_at = now;
    }
    return outcome;
}

/* The body of the thread. Calls the function after each post, until it returns false or the worker is stopped. Frees the worker. Gives its token
 * back, unless this is the child of a fork. */
static void worker_main(void *argument) {
    sq__worker_t *worker = argument;
    const uint32_t process = sq__process();
    sq__token_t *token = worker->token;
    sq__wait_id_t wait_id = worker->wait_id;
    uint64_t slept_at = 0;
    bool wanted = true;
    while (wanted) {
        if (sq__worker_look(token, wait_id, &slept_at) == SQ__OPEN) {
            (void)sq__worker_sleep(token, wait_id, SQ__NEVER);
        }
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

int sq__worker_start(sq__worker_t **result, sq__worker_function_t function, void *argument, const sq__thread_kind_t *kind) {
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

/* Both fields are read before the grant: after it the worker may be freed. Tokens are never freed. */
void sq__worker_post(sq__worker_t *worker) { sq__token_grant(worker->token, worker->wait_id); }

void sq__worker_stop(sq__worker_t *worker) {
    worker->function = NULL;
    sq__worker_post(worker);
}
