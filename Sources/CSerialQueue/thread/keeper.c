#include "thread/keeper.h"

#include "platform/clock.h"
#include "thread/cache_threads.h"

/* Nanoseconds between two tries: the first pause and the longest one. */
enum { PAUSE = 1000000, LONGEST_PAUSE = 128 * PAUSE };

/* L. */
static bool is_idle(void) { return sq__cache.clients == 0 && sq__cache.threads == NULL; }

/* L, released meanwhile. Serves the line until a thread comes, which looks at the line itself. True: no thread could be started, so the next try is
 * the keeper's. No order is promised among queues. */
static bool serve_line(void) {
    bool is_served = true;
    while (is_served && sq__cache.line != NULL && sq__cache.coming == 0) {
        is_served = sq__cache_serve(sq__cache_take_from_line(NULL));
        sq__mutex_lock(&sq__cache.lock);
    }
    return !is_served;
}

/* The keeper's body. Serves the line when its token is woken; after a pause it tries again to serve those it could not. At the end it recycles its
 * token. */
static void keep(void *argument) {
    sq__token_t *token = argument;
    sq__wait_id_t wait_id = sq__token_prepare(token); /* never granted: it is woken */
    uint64_t pause = PAUSE, deadline = SQ__NEVER;
    bool is_over = false;
    while (!is_over) {
        (void)sq__token_timed_sleep(token, wait_id, deadline);
        sq__mutex_lock(&sq__cache.lock);
        bool is_left = serve_line();
        sq__token_forget_wake(token); /* all calls so far are dealt with, its own ones included */
        is_over = is_idle();
        if (is_over) {
            sq__cache.keeper = NULL;
        }
        sq__mutex_unlock(&sq__cache.lock);
        deadline = is_left ? sq__clock_now() + pause : SQ__NEVER;
        pause = !is_left ? PAUSE : pause < LONGEST_PAUSE ? 2 * pause : pause;
    }
    (void)sq__token_withdraw(token, wait_id);
    sq__token_recycle(token);
}

bool sq__keeper_is_there(void) {
    static sq__thread_start_t start; /* L  until the next start the last one has read it */
    if (sq__cache.keeper == NULL) {
        sq__token_t *token = sq__token_acquire();
        if (token != NULL && sq__thread_start(&start, keep, token, &(sq__thread_kind_t){ .name = "sq-keeper" }) != 0) {
            sq__token_recycle(token);
            token = NULL;
        }
        sq__cache.keeper = token;
    }
    return sq__cache.keeper != NULL;
}

void sq__keeper_end_if_idle(void) {
    if (sq__cache.keeper != NULL && is_idle()) {
        sq__token_wake(sq__cache.keeper);
    }
}
