/* left_out.c: what a build with WHOLE=1 puts before functions of the core (build.sh), to leave out steps that multiply the schedules. */
#include "threads.h"

#include "kernel/ring.h"
#include "thread/cache_threads.h"
#include "thread/self.h"
#include "wait/wait_runs.h"

/* With warm workers a wait of a thread's own token without a deadline is one step, which comes when the wait is over, unless the thread may be woken to run
 * tasks meanwhile. CLAIMED is 4 and WAITING 1 (token_status.h). */
static void await_decision(const sq__token_t *token, sq__wait_id_t wait_id) { ex_point_until_changed((const uint64_t *)token, wait_id << 3 | 1, 4); }

/* The thread of the cache that idles with this token; NULL: it is another kind of wait. */
static const sq__cached_thread_t *idle_thread(const sq__token_t *token) { return sq__self()->frame == NULL ? sq__token_line(token) : NULL; }

/* Nobody will post it or take it: it ends by itself. */
static bool ends(const sq__token_t *token) {
    const sq__cached_thread_t *thread = idle_thread(token);
    return thread != NULL && thread->is_alone;
}

sq__outcome_t __wrap_sq__token_sleep(sq__token_t *token, sq__wait_id_t wait_id, uint64_t deadline) {
    if (ex_setting.has_warm_workers && deadline == SQ__NEVER && !ex_thread[ex_current].may_be_nudged
        && (sq__self()->token == token || idle_thread(token) != NULL)) {
        await_decision(token, wait_id);
    }
    return sq__token_sleep(token, wait_id, deadline);
}

sq__outcome_t __wrap_sq__wait_runs_sleep(sq__wait_t *wait, sq_time_t deadline) {
    ex_thread[ex_current].may_be_nudged = true;
    sq__outcome_t outcome = sq__wait_runs_sleep(wait, deadline);
    ex_thread[ex_current].may_be_nudged = false;
    return outcome;
}

/* Where no wait has a deadline, how many slots are filled decides nothing: whether a thread of no task shares a slot, which only one that may give its wait up does, and how
 * long it spins. Then it is not read, but the queue has to exist. */
uint64_t __wrap_sq__ring_depth(const sq_queue_t *queue) {
    if (ex_setting.no_wait_ends_early && !sq__self_may_be_needed(sq__self())) {
        ex_atomic(&queue->state);
        return 0;
    }
    return sq__ring_depth(queue);
}

/* Not looking is as if it had been too early. */
void __wrap_sq__depth_sample(void *queue) { (void)queue; }

sq__outcome_t __wrap_sq__token_spin(sq__token_t *token, sq__wait_id_t wait_id, sq__spin_t kind, unsigned pauses) {
    if (ex_setting.has_warm_workers && ex_setting.spares == 0 && kind == SQ__SPIN_WORKER && !ends(token)) {
        await_decision(token, wait_id);
        return sq__token_spin(token, wait_id, kind, 0);
    }
    return ex_setting.looks_twice ? sq__token_spin(token, wait_id, kind, pauses) : SQ__OPEN;
}
sq__outcome_t __wrap_sq__token_yield(sq__token_t *token, sq__wait_id_t wait_id, uint64_t deadline) {
    return ex_setting.looks_twice ? sq__token_yield(token, wait_id, deadline) : SQ__OPEN;
}
sq__outcome_t __wrap_sq__token_yield_once(sq__token_t *token, sq__wait_id_t wait_id, sq__spin_t kind) {
    return ex_setting.looks_twice ? sq__token_yield_once(token, wait_id, kind) : SQ__OPEN;
}
