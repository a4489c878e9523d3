/* guard.c: the book of a queue, and the tasks that write it.
 *
 * DESIGN. A lane is one submitter's stream of tasks into one queue. Its numbers go up; the submitter hashes those that were
 * accepted, the queue those that it ran or discarded, both in their order. Numbers that do not go up, a hash or a count
 * that differs in the end: reordered, lost, run twice, or run although an error was returned. */
#include "soak.h"

static uint64_t hash(uint64_t before, uint64_t number) { return (before ^ number) * UINT64_C(0x100000001B3) + 1; }

guard_t *guard_create(const char *label, size_t capacity, int place, sq_pool_t *pool) {
    guard_t *guard = calloc(1, sizeof *guard);
    sq_queue_options_t options = SQ_QUEUE_OPTIONS_INIT;
    options.capacity = capacity;
    options.pool = pool;
    MUST(guard != NULL, "no memory for the soak itself");
    guard->queue = sq_queue_create(label, &options);
    MUST(guard->queue != NULL, "a queue cannot be made (errno %d)", errno);
    guard->place = place;
    guard->is_bounded = capacity > 0;
    guard->users = 1;
    totals.made += 1;
    totals.open_books += 1;
    return guard;
}

void guard_keep(guard_t *guard) { atomic_fetch_add_explicit(&guard->users, 1, memory_order_relaxed); }

static void check_lanes(const guard_t *guard) {
    uint64_t met = 0;
    for (unsigned i = 0; i < LANES; i += 1) {
        const lane_t *lane = &guard->lanes[i];
        MUST(lane->accepted == lane->met, "of submitter %u, %llu tasks were accepted but %llu had an outcome", i,
             (unsigned long long)lane->accepted, (unsigned long long)lane->met);
        MUST(lane->accepted_hash == lane->met_hash, "the tasks of submitter %u were not met in their order", i);
        met += lane->met;
    }
    MUST(met == guard->ran + guard->discarded, "%llu tasks met, but %llu ran and %llu were discarded", (unsigned long long)met,
         (unsigned long long)guard->ran, (unsigned long long)guard->discarded);
    MUST(guard->turns == guard->ran, "%llu turns of %llu tasks: two at once", (unsigned long long)guard->turns,
         (unsigned long long)guard->ran);
}

void guard_drop(guard_t *guard) {
    if (atomic_fetch_sub_explicit(&guard->users, 1, memory_order_acq_rel) == 1) {
        check_lanes(guard);
        free(guard);
        totals.open_books -= 1;
    }
}

/* Nothing is on its way to the queue, or in it. Each call has one entry in the queue's own counts: also one that was refused
 * while it waited (discarded), or timed out (withdrawn). */
void guard_check_at_rest(guard_t *guard) {
    sq_queue_stats_t stats = SQ_QUEUE_STATS_INIT;
    sq_queue_stats(guard->queue, &stats);
    check_lanes(guard);
    MUST(stats.depth == 0 && sq_queue_depth(guard->queue) == 0, "depth %llu at rest", (unsigned long long)stats.depth);
    MUST(stats.submitted == stats.ran + stats.discarded + stats.withdrawn, "submitted %llu is not ran %llu + discarded %llu + withdrawn %llu",
         (unsigned long long)stats.submitted, (unsigned long long)stats.ran, (unsigned long long)stats.discarded,
         (unsigned long long)stats.withdrawn);
    MUST(stats.ran == guard->ran, "the queue says that %llu ran, but %llu did", (unsigned long long)stats.ran,
         (unsigned long long)guard->ran);
    MUST(stats.submitted + stats.rejected == guard->calls, "%llu calls, but %llu submitted and %llu rejected",
         (unsigned long long)guard->calls, (unsigned long long)stats.submitted, (unsigned long long)stats.rejected);
    MUST(stats.discarded + stats.withdrawn + stats.rejected == guard->discarded + guard->errors,
         "%llu discarded + %llu withdrawn + %llu rejected, but %llu discards and %llu errors", (unsigned long long)stats.discarded,
         (unsigned long long)stats.withdrawn, (unsigned long long)stats.rejected, (unsigned long long)guard->discarded,
         (unsigned long long)guard->errors);
    MUST(stats.highest_depth <= stats.submitted, "the highest depth %llu is beyond all tasks", (unsigned long long)stats.highest_depth);
}

unsigned lane_of_tasks(const guard_t *guard) { return DRIVERS + (unsigned)guard->place; }

void ticket_begin(ticket_t *ticket, guard_t *guard, unsigned lane, chance_t *chance, unsigned depth) {
    *ticket = (ticket_t){ .guard = guard, .lane = lane, .depth = depth, .number = ++guard->lanes[lane].numbers,
                          .chance = { below(chance, UINT64_MAX) }, .caller = pthread_self() };
}

/* By the submitter, once the call has returned: of the ticket, which may be gone, only the number is left. */
void ticket_accepted(guard_t *guard, unsigned lane, uint64_t number) {
    lane_t *to = &guard->lanes[lane];
    to->accepted += 1;
    to->accepted_hash = hash(to->accepted_hash, number);
}

/* The task's turn, to run or to be discarded. */
static void enter(ticket_t *ticket) {
    guard_t *guard = ticket->guard;
    lane_t *lane = &guard->lanes[ticket->lane];
    int others = atomic_exchange_explicit(&guard->inside, 1, memory_order_relaxed);
    MUST(others == 0, "two tasks of one queue at once");
    MUST(ticket->number > lane->last, "task %llu of submitter %u after its task %llu", (unsigned long long)ticket->number,
         ticket->lane, (unsigned long long)lane->last);
    MUST(!ticket->has_run, "a task has two outcomes");
    MUST(sq_is_current(guard->queue), "a queue is not current in its own task");
    ticket->has_run = true;
    lane->last = ticket->number;
    lane->met += 1;
    lane->met_hash = hash(lane->met_hash, ticket->number);
}

static void leave(ticket_t *ticket) {
    guard_t *guard = ticket->guard;
    atomic_store_explicit(&guard->inside, 0, memory_order_relaxed);
    if (ticket->is_on_heap) {
        free(ticket);
        totals.open_tasks -= 1;
        guard_drop(guard);
    }
}

void ticket_run(void *context) {
    ticket_t *ticket = context;
    enter(ticket);
    bool is_caller = pthread_equal(ticket->caller, pthread_self());
    MUST(ticket->where == ANY_THREAD || is_caller == (ticket->where == CALLER), "a task ran on the wrong thread");
    MUST(!ticket->guard->never_runs, "a task ran whose queue was released while it was suspended");
    uint64_t turn = ++ticket->guard->turns;
    act_in_task(ticket);
    MUST(ticket->guard->turns == turn, "another task ran in the middle of one");
    ticket->guard->ran += 1;
    atomic_fetch_add_explicit(&totals.tasks, 1, memory_order_relaxed);
    leave(ticket);
}

void ticket_discard(void *context) {
    ticket_t *ticket = context;
    enter(ticket);
    MUST(ticket->guard->may_refuse || ticket->guard->never_runs, "a task was discarded by a queue that was not shut down");
    ticket->guard->discarded += 1;
    atomic_fetch_add_explicit(&totals.discards, 1, memory_order_relaxed);
    leave(ticket);
}

void ticket_pair(void *context, void *number, bool runs) {
    ticket_t *ticket = context;
    MUST(ticket->number == (uintptr_t)number, "the two words of a pair are not of one task");
    runs ? ticket_run(ticket) : ticket_discard(ticket);
}
