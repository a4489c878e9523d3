#include "wait/wait_runs.h"

#include "platform/clock.h"
#include "pool/loop.h"
#include "thread/process.h"

sq__pool_t *sq__wait_threadless_pool(const sq_queue_t *queue, sq__ready_t **entry) {
    const sq_queue_t *root = sq__queue_root(queue);
    sq__pool_t *pool = sq__runner_pool(sq__load_relaxed(&root->runner));
    *entry = (sq__ready_t *)(uintptr_t)&root->ready;
    return pool != NULL && !sq__pool_has_members(pool) ? pool : NULL;
}

bool sq__wait_runs_tasks(sq__wait_t *wait, bool may_help) {
    sq__pool_t *pool = wait->root != NULL ? sq__runner_pool(sq__load_relaxed(&wait->root->runner)) : NULL;
    bool is_loop = pool != NULL && sq__pool_is_loop(pool);
    bool runs = pool != NULL && (is_loop ? sq__pool_is_own_loop(pool) : sq__pool_clock(pool) != NULL);
    wait->helps = may_help && !runs && sq__pool_is_of_lower_class(pool); /* no queue on a loop may */
    wait->pool = runs || wait->helps ? pool : NULL;
    wait->loop = is_loop && !runs ? pool : NULL;
    wait->runs_members = wait->subject != NULL && wait->subject->loops != NULL && sq__self()->owner != NULL;
    return sq__wait_is_running(wait);
}

void sq__wait_runs_begin(sq__wait_t *wait) {
    sq__pool_t *pool = wait->pool != NULL ? wait->pool : wait->loop;
    sq__pool_retain(pool);
    if (wait->helps) {
        wait->caller_run = (sq__caller_run_t){ .entry = &wait->queue->ready, .band = sq__queue_band(wait->queue), .token = wait->token };
    }
}

void sq__wait_runs_end(sq__wait_t *wait) {
    sq__pool_t *pool = wait->pool != NULL ? wait->pool : wait->loop;
    if (wait->helps) {
        sq__pool_end_caller(pool, &wait->caller_run);
    }
    sq__pool_release(pool);
}

static bool run_one(sq__wait_t *wait) {
    if (wait->runs_members) {
        return wait->subject->loops->caller_run(wait->subject, true);
    }
    if (wait->helps) {
        return sq__pool_caller_run(wait->pool, &wait->caller_run);
    }
    /* After the end of a target on a manual pool, what the wait needs is run by another entry of the pool. */
    return sq__pool_run_one(wait->pool, (sq__ready_t *)(uintptr_t)&wait->root->ready)
        || (wait->root != wait->queue && !sq__pool_is_loop(wait->pool) && sq__pool_run_next(wait->pool));
}

/* Checked between tasks only where their number has no bound: the tasks ahead of a turn have one, those of a target and those ahead of a
 * group's members do not. */
static bool is_late(const sq__wait_t *wait, sq_time_t deadline) {
    return (wait->runs_members || wait->root != wait->queue) && deadline != SQ_FOREVER && sq__clock_now() >= deadline;
}

bool sq__wait_runs_ahead(sq__wait_t *wait, sq_time_t deadline) {
    uint32_t process = sq__process();
    while (sq__token_is_open(wait->token, wait->wait_id) && run_one(wait) && !is_late(wait, deadline)) {
    }
    return process == sq__process();
}

static bool is_ready(const sq__wait_t *wait) {
    return wait->runs_members ? wait->subject->loops->caller_run(wait->subject, false) : sq__pool_has_entry(wait->pool, &wait->root->ready);
}

/* Earlier nudges are forgotten: the check that follows sees what caused them. */
static sq__outcome_t sleep_as_owner(sq__wait_t *wait, sq_time_t deadline) {
    sq__owner_t *owner = sq__self()->owner;
    sq__token_forget_nudge(wait->token);
    sq__owner_await(owner, wait->token);
    bool may_run = !is_late(wait, deadline) && is_ready(wait);
    sq__outcome_t outcome = may_run ? SQ__OPEN : sq__token_sleep(wait->token, wait->wait_id, deadline);
    sq__owner_await(owner, NULL);
    return outcome;
}

static sq__outcome_t sleep_listed(sq__wait_t *wait, sq_time_t deadline) {
    if (!sq__pool_list_caller(wait->pool, &wait->caller_run)) {
        return SQ__OPEN;
    }
    sq__outcome_t outcome = sq__token_sleep(wait->token, wait->wait_id, deadline);
    sq__pool_unlist_caller(wait->pool, &wait->caller_run);
    return outcome;
}

sq__outcome_t sq__wait_runs_sleep(sq__wait_t *wait, sq_time_t deadline) {
    if (wait->helps) {
        return sleep_listed(wait, deadline);
    }
    if (wait->runs_members || sq__pool_is_loop(wait->pool)) {
        return sleep_as_owner(wait, deadline);
    }
    return sq__token_sleep(wait->token, wait->wait_id, deadline);
}
