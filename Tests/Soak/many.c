/* many.c: items, a group, a semaphore and onces, used by all drivers at once.
 *
 * DESIGN. An item is made by one driver, submitted, and left in a slot; whatever driver takes it from there cancels it, waits for it, has
 * itself notified, or only releases it. Its piece counts the outcomes: one, in the end, and a thread that gets one must find
 * it. The semaphore has PERMITS holders at most. What is registered with the group or an item is called once. At the
 * end of the round nothing is open, the permits are all there, and the queues' counts agree. */
#include "soak.h"

#include <sched.h>

enum { SLOTS = 8, LINES = 4, PERMITS = 3, ONCES = 16 };

typedef struct piece {
    sq_item_t *item;
    atomic_int outcomes;
    atomic_int users; /* the item's function, and the driver or slot that has the piece */
} piece_t;

static _Atomic(piece_t *) slots[SLOTS];
static sq_queue_t *lines[LINES];
static sq_group_t *group;
static sq_semaphore_t *semaphore;
static sq_once_t onces[ONCES];
static atomic_int once_runs[ONCES], holders;
static atomic_size_t open_pieces, members, notices, entered;

static uint64_t count(void) { return atomic_fetch_add_explicit(&totals.tasks, 1, memory_order_relaxed); }

/* Pieces */

static void drop(piece_t *piece) {
    if (atomic_fetch_sub(&piece->users, 1) == 1) {
        MUST(piece->outcomes == 1, "an item has %d outcomes", piece->outcomes);
        free(piece);
        atomic_fetch_sub(&open_pieces, 1);
    }
}

static void end(piece_t *piece) {
    MUST(atomic_fetch_add(&piece->outcomes, 1) == 0, "an item has a second outcome");
    drop(piece);
}

static void run_piece(void *piece) {
    MUST(sq_current_queue() != NULL, "an item runs outside of its queue");
    count();
    end(piece);
}

static void discard_piece(void *piece) {
    atomic_fetch_add_explicit(&totals.discards, 1, memory_order_relaxed);
    end(piece);
}

static void one_less(void *open) { atomic_fetch_sub((atomic_size_t *)open, 1); }

static sq_queue_t *any_line(chance_t *chance) { return lines[below(chance, LINES)]; }

static void notify_of(piece_t *piece, chance_t *chance) {
    const sq_task_t task = { one_less, &notices, one_less };
    atomic_fetch_add(&notices, 1);
    int error = piece != NULL ? sq_item_notify(piece->item, any_line(chance), &task) : sq_group_notify(group, any_line(chance), &task);
    MUST(error == 0, "a notification returned %d", error);
}

static void wait_for(piece_t *piece, chance_t *chance) {
    sq_time_t deadline = below(chance, 2) ? SQ_NOW : sq_deadline(below(chance, 200000));
    int error = sq_item_wait(piece->item, deadline);
    if (error == 0 || error == ECANCELED) {
        MUST(piece->outcomes == 1, "a wait for an item returned %d, and it has %d outcomes", error, piece->outcomes);
    } else {
        MUST(error == (deadline == SQ_NOW ? EAGAIN : ETIMEDOUT), "a wait for an item returned %d", error);
    }
}

static void cancel(const piece_t *piece) {
    int error = sq_item_cancel(piece->item);
    MUST(error == 0 || error == EALREADY || error == EINPROGRESS, "a cancel returned %d", error);
    MUST(error == EINPROGRESS || piece->outcomes == 1, "a cancel returned %d, and the item has %d outcomes", error, piece->outcomes);
    MUST(sq_item_is_cancelled(piece->item), "an item does not know that it was cancelled");
}

/* The caller's piece, and its reference to the item. */
static void use_piece(piece_t *piece, chance_t *chance) {
    for (uint64_t i = below(chance, 3); i > 0; i -= 1) {
        switch (below(chance, 3)) {
        case 0: cancel(piece); break;
        case 1: wait_for(piece, chance); break;
        default: notify_of(piece, chance);
        }
    }
    sq_item_t *item = piece->item;
    drop(piece);
    sq_item_release(item);
}

static piece_t *make_piece(void) {
    piece_t *piece = malloc(sizeof *piece);
    MUST(piece != NULL, "no memory for the soak itself");
    *piece = (piece_t){ .users = 2 };
    piece->item = sq_item_create("soak", &(sq_task_t){ run_piece, piece, discard_piece });
    MUST(piece->item != NULL, "an item cannot be made (errno %d)", errno);
    atomic_fetch_add(&open_pieces, 1);
    return piece;
}

static void submit_piece(piece_t *piece, sq_queue_t *queue, chance_t *chance) {
    int error = below(chance, 4) ? sq_item_submit(piece->item, queue) : sq_item_submit_after(piece->item, queue, below(chance, 300000));
    MUST(error == 0 || error == EAGAIN || error == EALREADY || error == ECANCELED, "a submission of an item returned %d", error);
}

/* Half of the time others have the piece already while it is submitted. */
static void items(chance_t *chance) {
    piece_t *piece = make_piece();
    sq_item_t *item = sq_item_retain(piece->item);
    bool shows_early = below(chance, 2);
    atomic_fetch_add(&piece->users, 1);
    if (!shows_early) {
        submit_piece(piece, any_line(chance), chance);
    }
    piece_t *other = atomic_exchange(&slots[below(chance, SLOTS)], piece);
    if (shows_early) {
        submit_piece(piece, any_line(chance), chance);
    }
    drop(piece);
    sq_item_release(item);
    if (other != NULL) {
        use_piece(other, chance);
    }
}

/* Items in a queue that ends, while others cancel them. */
static void items_at_the_end(chance_t *chance) {
    sq_queue_options_t options = SQ_QUEUE_OPTIONS_INIT;
    options.pool = any_pool(chance);
    sq_queue_t *queue = sq_queue_create("ends", &options);
    MUST(queue != NULL, "a queue cannot be made (errno %d)", errno);
    MUST(sq_suspend(queue) == 0, "a suspend failed");
    for (uint64_t i = below(chance, 4); i > 0; i -= 1) {
        piece_t *piece = make_piece();
        submit_piece(piece, queue, chance);
        piece_t *other = atomic_exchange(&slots[below(chance, SLOTS)], piece);
        if (other != NULL) {
            use_piece(other, chance);
        }
    }
    if (below(chance, 2)) {
        MUST(sq_resume(queue) == 0, "a resume failed");
    }
    if (below(chance, 2)) { /* else its last release ends it */
        int error = sq_shutdown(queue, SQ_SHUTDOWN_DISCARD, SQ_FOREVER);
        MUST(error == 0, "a shutdown returned %d", error);
    }
    sq_queue_release(queue);
}

/* The others */

static void run_member(void *unused) {
    (void)unused;
    count();
    atomic_fetch_sub(&members, 1);
}

static void use_group(chance_t *chance) {
    int error = 0;
    switch (below(chance, 5)) {
    case 0:
        atomic_fetch_add(&entered, 1);
        MUST(sq_group_enter(group) == 0, "a group cannot be entered");
        sched_yield();
        atomic_fetch_sub(&entered, 1);
        MUST(sq_group_leave(group) == 0, "a member cannot leave");
        break;
    case 1:
        atomic_fetch_add(&members, 1);
        error = sq_group_async(group, any_line(chance), run_member, NULL);
        break;
    case 2:
        atomic_fetch_add(&members, 1);
        error = sq_group_async_task(group, any_line(chance), &(sq_task_t){ run_member, NULL, run_member });
        break;
    case 3:
        error = sq_group_wait(group, sq_deadline(below(chance, 100000)));
        MUST(error == 0 || error == ETIMEDOUT, "a wait for a group returned %d", error);
        return;
    default:
        notify_of(NULL, chance);
    }
    MUST(error == 0 || error == EAGAIN, "a member's submission returned %d", error);
    if (error != 0) {
        atomic_fetch_sub(&members, 1);
    }
}

static void use_semaphore(chance_t *chance) {
    uint64_t kind = below(chance, 3);
    int error = sq_semaphore_wait(semaphore, kind == 0 ? SQ_NOW : kind == 1 ? sq_deadline(below(chance, 50000)) : SQ_FOREVER);
    if (error != 0) {
        MUST(error == (kind == 0 ? EAGAIN : ETIMEDOUT) && kind < 2, "a wait for a permit returned %d", error);
        return;
    }
    int now = atomic_fetch_add(&holders, 1);
    MUST(now < PERMITS, "%d have a permit, of %d", now + 1, PERMITS);
    if (below(chance, 4) == 0) {
        sched_yield();
    }
    atomic_fetch_sub(&holders, 1);
    MUST(sq_semaphore_signal(semaphore) == 0, "a permit cannot be given back");
}

static void run_once(void *runs) { atomic_fetch_add((atomic_int *)runs, 1); }

static void use_once(chance_t *chance) {
    uint64_t i = below(chance, ONCES);
    MUST(sq_once(&onces[i], run_once, &once_runs[i]) == 0 && once_runs[i] == 1, "a once ran %d times", once_runs[i]);
}

void many(chance_t *chance) {
    uint64_t what = below(chance, 100);
    if (what < 45) {
        items(chance);
    } else if (what < 50) {
        items_at_the_end(chance);
    } else if (what < 75) {
        use_group(chance);
    } else if (what < 98) {
        use_semaphore(chance);
    } else {
        use_once(chance);
    }
}

/* A round */

void many_begin(chance_t *chance) {
    for (int i = 0; i < LINES; i += 1) {
        sq_queue_options_t options = SQ_QUEUE_OPTIONS_INIT;
        options.pool = i == 0 ? NULL : any_pool(chance);
        options.capacity = i == 1 ? 8 : 0;
        lines[i] = sq_queue_create("line", &options);
        MUST(lines[i] != NULL, "a queue cannot be made (errno %d)", errno);
    }
    for (int i = 0; i < ONCES; i += 1) {
        onces[i] = (sq_once_t)SQ_ONCE_INIT;
        once_runs[i] = 0;
    }
    group = sq_group_create("soak");
    semaphore = sq_semaphore_create("soak", PERMITS);
    MUST(group != NULL && semaphore != NULL, "a group or semaphore cannot be made (errno %d)", errno);
}

static void end_line(sq_queue_t *line, sq_shutdown_mode_t mode) {
    sq_queue_stats_t stats = SQ_QUEUE_STATS_INIT;
    MUST(sq_shutdown(line, mode, SQ_FOREVER) == 0, "a shutdown at rest failed");
    sq_queue_stats(line, &stats);
    MUST(stats.depth == 0 && stats.submitted == stats.ran + stats.discarded + stats.withdrawn, "the counts of a queue do not add up");
    sq_queue_release(line);
}

/* The drivers have ended. */
void many_end(void) {
    for (int i = 0; i < SLOTS; i += 1) {
        piece_t *piece = atomic_exchange(&slots[i], NULL);
        if (piece != NULL) {
            sq_item_t *item = piece->item;
            drop(piece);
            sq_item_release(item);
        }
    }
    int error = sq_group_wait(group, sq_deadline(60000000000u));
    MUST(error == 0 && members == 0 && entered == 0, "a wait for the group returned %d, with %zu members", error, (size_t)members);
    wait_until_nothing_is_open("pieces", &open_pieces);
    wait_until_nothing_is_open("notifications", &notices);
    for (int i = 0; i < LINES; i += 1) {
        end_line(lines[i], i % 2 ? SQ_SHUTDOWN_DRAIN : SQ_SHUTDOWN_DISCARD);
    }
    for (int i = 0; i <= PERMITS; i += 1) {
        error = sq_semaphore_wait(semaphore, SQ_NOW);
        MUST(error == (i < PERMITS ? 0 : EAGAIN), "permit %d of %d: %d", i + 1, PERMITS, error);
    }
    sq_semaphore_release(semaphore);
    sq_group_release(group);
}
