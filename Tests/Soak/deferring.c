/* deferring.c: tasks that wait for room without a thread; some are withdrawn, some refused by a shutdown. Each that had to wait is
 * decided once or withdrawn, others neither; and each is called once if it was accepted, else never. */
#include "soak.h"

#include <sched.h>

enum { MOST = 8 };

typedef struct item {
    sq_deferred_t task;
    sq_queue_t *queue;
    atomic_int calls, decisions, decision;
    int returned;
    bool is_withdrawn;
} item_t;

static void call(void *context, void *number, bool runs) {
    item_t *item = context;
    MUST(sq_current_queue() == item->queue, "a deferred task without its queue");
    MUST((uintptr_t)number == (uintptr_t)item->queue, "the two words of a deferred task are not of one");
    MUST(atomic_fetch_add(&item->calls, 1) == 0, "a deferred task is called twice");
    atomic_fetch_add_explicit(runs ? &totals.tasks : &totals.discards, 1, memory_order_relaxed);
}

static void decided(sq_deferred_t *task, int error) {
    item_t *item = (item_t *)((char *)task - offsetof(item_t, task));
    MUST(error == 0 || error == ESHUTDOWN, "a deferred task is refused with %d", error);
    item->decision = error;
    MUST(atomic_fetch_add(&item->decisions, 1) == 0, "a deferred task is decided twice");
}

static void submit_item(item_t *item, sq_queue_t *queue) {
    *item = (item_t){ .queue = queue, .task = { .call = call, .first = item, .second = queue, .decided = decided } };
    item->returned = sq_async_deferred(queue, &item->task);
    MUST(item->returned == 0 || item->returned == EINPROGRESS, "a deferred task returned %d", item->returned);
}

static bool is_over(const item_t *item) {
    if (item->returned == 0) {
        return item->calls == 1;
    }
    return item->is_withdrawn || (item->decisions == 1 && (item->decision != 0 || item->calls == 1));
}

static void check(const item_t *item) {
    bool waits = item->returned == EINPROGRESS && !item->is_withdrawn;
    MUST(item->decisions == waits, "a deferred task returned %d, %s withdrawn, but was decided %d times", item->returned,
         item->is_withdrawn ? "was" : "was not", item->decisions);
    bool is_accepted = item->returned == 0 || (waits && item->decision == 0);
    MUST(item->calls == is_accepted, "a deferred task was called %d times", item->calls);
}

void deferring(chance_t *chance) {
    item_t items[MOST];
    sq_queue_options_t options = SQ_QUEUE_OPTIONS_INIT;
    size_t count = 1 + (size_t)below(chance, MOST);
    bool is_suspended = below(chance, 2);
    options.capacity = 1 + (size_t)below(chance, 3);
    options.pool = any_pool(chance);
    sq_queue_t *queue = sq_queue_create("deferring", &options);
    MUST(queue != NULL, "a queue cannot be made (errno %d)", errno);
    MUST(!is_suspended || sq_suspend(queue) == 0, "a suspend failed");
    for (size_t i = 0; i < count; i += 1) {
        submit_item(&items[i], queue);
    }
    for (size_t i = 0; i < count; i += 1) {
        if (below(chance, 3) == 0) {
            items[i].is_withdrawn = sq_async_withdraw(queue, &items[i].task);
        }
    }
    if (is_suspended && below(chance, 2)) {
        MUST(sq_resume(queue) == 0, "a resume failed");
        is_suspended = false;
    }
    int error = sq_shutdown(queue, is_suspended || below(chance, 2) ? SQ_SHUTDOWN_DISCARD : SQ_SHUTDOWN_DRAIN, SQ_FOREVER);
    MUST(error == 0, "a shutdown returned %d", error);
    for (size_t i = 0; i < count; i += 1) {
        while (!is_over(&items[i])) {
            sched_yield(); /* the watchdog ends it */
        }
    }
    for (size_t i = 0; i < count; i += 1) {
        check(&items[i]);
    }
    sq_queue_release(queue);
}
