#include "wait/wait_runs.h"

#include "platform/clock.h"
#include "thread/process.h"

void sq__wait_runs_find(sq__wait_t *wait, bool is_turn) {
    const sq__subject_t *subject = wait->subject;
    sq__runner_t runner = wait->root != NULL ? sq__load_relaxed(&wait->root->runner) : 0;
    bool serves = SQ__RUNNER_HAS(runner, serves) != NULL && sq__runner_kind(runner)->serves(runner, is_turn);
    wait->runner = serves || sq__runner_is_owned(runner) ? runner : 0;
    if (serves) {
        wait->runs = SQ__WAIT_RUNS_ENTRY;
    } else if (subject != NULL && subject->runs_for != NULL && (sq__self()->owner != NULL || subject->runs_for->run(subject, false))) {
        wait->runs = SQ__WAIT_RUNS_TASKS;
    }
}

void sq__wait_runs_begin(sq__wait_t *wait) {
    sq__runner_retain(wait->runner);
    wait->caller_run = (sq__caller_run_t){ .entry = (sq__ready_t *)(uintptr_t)&wait->root->ready, .token = wait->token };
}

void sq__wait_runs_end(sq__wait_t *wait) {
    if (wait->runs == SQ__WAIT_RUNS_ENTRY && SQ__RUNNER_HAS(wait->runner, leave) != NULL) {
        sq__runner_kind(wait->runner)->leave(wait->runner, &wait->caller_run);
    }
    sq__runner_release(wait->runner);
}

/* T. Runs one task that brings the wait closer to its end; only if `runs` is not 0. False: nothing was ready. */
static bool run_one(sq__wait_t *wait) {
    if (wait->runs == SQ__WAIT_RUNS_TASKS) {
        return wait->subject->runs_for->run(wait->subject, true);
    }
    bool (*const run)(sq__runner_t runner, sq__caller_run_t *caller_run, bool runs) = sq__runner_kind(wait->runner)->run;
    if (run(wait->runner, &wait->caller_run, true)) {
        return true;
    }
    /* After the end of a target, what the wait needs is run by another entry. An owner is not to run more than it must. */
    sq__caller_run_t any = { .entry = NULL };
    return wait->root != wait->queue && !sq__runner_is_owned(wait->runner) && run(wait->runner, &any, true);
}

/* The deadline has passed, and more tasks may be ready, where their number has no bound: the tasks ahead of a turn have one, those of a target and
 * those ahead of a group's members do not. */
static bool is_late(const sq__wait_t *wait, sq_time_t deadline) {
    return (wait->runs == SQ__WAIT_RUNS_TASKS || wait->root != wait->queue) && deadline != SQ_FOREVER && sq__clock_now() >= deadline;
}

bool sq__wait_runs_ahead(sq__wait_t *wait, sq_time_t deadline) {
    uint32_t process = sq__process();
    while (sq__token_is_open(wait->token, wait->wait_id) && !is_late(wait, deadline) && run_one(wait)) {
    }
    return process == sq__process();
}

/* T. As listen, if the wait runs tasks, which may be on any loop that the thread owns. Earlier wakes are forgotten: the look that follows sees what
 * caused them. */
static bool listen_for_tasks(sq__wait_t *wait, bool listens) {
    sq__owner_t *owner = sq__self()->owner;
    if (listens) {
        sq__token_forget_wake(wait->token);
    }
    if (owner != NULL) {
        sq__owner_await(owner, listens ? wait->token : NULL);
    }
    return listens && wait->subject->runs_for->run(wait->subject, false);
}

/* T, before (`listens`) and after it sleeps: a post wakes the token in between. True, only before: there is something to run. */
static bool listen(sq__wait_t *wait, bool listens) {
    if (wait->runs == SQ__WAIT_RUNS_TASKS) {
        return listen_for_tasks(wait, listens);
    }
    return SQ__RUNNER_HAS(wait->runner, listen) != NULL && sq__runner_kind(wait->runner)->listen(wait->runner, &wait->caller_run, listens);
}

sq__outcome_t sq__wait_runs_sleep(sq__wait_t *wait, sq_time_t deadline) {
    bool may_run = listen(wait, true) && sq__token_is_open(wait->token, wait->wait_id) && !is_late(wait, deadline);
    sq__outcome_t outcome = may_run ? SQ__OPEN : sq__token_sleep(wait->token, wait->wait_id, deadline);
    (void)listen(wait, false);
    return outcome;
}
