/* call.c: one submission by one of the calls there are, and whether what it returned is what it may. */
#include "soak.h"

static bool is_async(call_t call) { return call >= ASYNC && call <= UNTIL; }

static sq_time_t soon(chance_t *chance) { return sq_deadline(below(chance, 50000)); }

static int make_call(guard_t *guard, call_t call, ticket_t *ticket, sq_time_t deadline) {
    sq_queue_t *queue = guard->queue;
    const sq_task_t task = { ticket_run, ticket, ticket_discard };
    switch (call) {
    case SYNC: return sq_sync(queue, ticket_run, ticket);
    case SYNC_UNTIL: return sq_sync_until(queue, deadline, ticket_run, ticket);
    case TRY: return sq_sync_until(queue, SQ_NOW, ticket_run, ticket);
    case OR_RUN: /* after a shutdown it would run, which the order of the tickets does not know */
        return guard->may_refuse ? sq_sync(queue, ticket_run, ticket) : sq_sync_or_run(queue, ticket_run, ticket);
    case ASYNC: return sq_async(queue, ticket_run, ticket);
    case TASK: return sq_async_task(queue, &task);
    case PAIR: return sq_async_pair(queue, deadline, ticket_pair, ticket, (void *)(uintptr_t)ticket->number);
    case JOB: return sq_async_job(queue, ticket_pair, ticket, (void *)(uintptr_t)ticket->number);
    case UNTIL: return sq_async_until(queue, deadline, &task);
    case CALL: return sq_run_and_wait(queue, SQ_FOREVER, ticket_run, ticket);
    default: return sq_run_and_wait(queue, deadline, ticket_run, ticket);
    }
}

static bool may_return(const guard_t *guard, call_t call, sq_time_t deadline, int error) {
    switch (error) {
    case 0: return true;
    case ESHUTDOWN: return guard->may_refuse;
    case ETIMEDOUT: return call == SYNC_UNTIL || call == CALL_UNTIL || ((call == UNTIL || call == PAIR) && guard->is_bounded);
    case EAGAIN:
        return call == TRY || (guard->is_bounded && (call == ASYNC || call == TASK || ((call == UNTIL || call == PAIR) && deadline == SQ_NOW)));
    default: return false;
    }
}

int submit_to_resume(guard_t *guard, call_t call, unsigned lane, chance_t *chance, unsigned depth, guard_t *to_resume) {
    ticket_t here, *ticket = &here;
    sq_time_t deadline = soon(chance);
    if (is_async(call)) {
        ticket = malloc(sizeof *ticket);
        MUST(ticket != NULL, "no memory for the soak itself");
        guard_keep(guard);
        totals.open_tasks += 1;
        deadline = below(chance, 2) ? deadline : SQ_NOW;
    }
    ticket_begin(ticket, guard, lane, chance, depth);
    ticket->to_resume = to_resume;
    ticket->is_on_heap = is_async(call);
    ticket->where = is_async(call) ? ANY_THREAD : call == CALL || call == CALL_UNTIL ? OTHER : CALLER;
    uint64_t number = ticket->number;
    guard->calls += 1;
    int error = make_call(guard, call, ticket, deadline);
    MUST(may_return(guard, call, deadline, error), "call %d returned %d%s%s", call, error, error == EDEADLK ? ": " : "",
         error == EDEADLK ? sq_deadlock_report() : "");
    MUST(is_async(call) || here.has_run == (error == 0), "call %d returned %d, but its function %s", call, error,
         here.has_run ? "ran" : "did not run");
    if (error == 0) {
        ticket_accepted(guard, lane, number);
        return 0;
    }
    guard->errors += 1;
    totals.refusals += 1;
    if (is_async(call)) {
        free(ticket);
        totals.open_tasks -= 1;
        guard_drop(guard);
    }
    return error;
}

int submit(guard_t *guard, call_t call, unsigned lane, chance_t *chance, unsigned depth) {
    return submit_to_resume(guard, call, lane, chance, depth, NULL);
}

int submit_any(guard_t *guard, bool may_wait, unsigned lane, chance_t *chance, unsigned depth) {
    /* sq_async has no discard: only where nothing is ever discarded. */
    static const call_t without_waiting[] = { TASK, TASK, TRY, ASYNC };
    call_t call = may_wait ? (call_t)below(chance, CALLS) : without_waiting[below(chance, 4)];
    return submit(guard, call == ASYNC && guard->may_refuse ? TASK : call, lane, chance, depth);
}
