/* timing.c: delayed tasks and timers on queues of their own: started, started again, cancelled, shut down, or released
 * with work left. Each delayed task has one outcome; each timer is discarded once; nothing fires after a
 * cancel that waited. */
#include "soak.h"

#include <time.h>

enum { MOST_DELAYED = 4 };

/* One queue's. The last user frees it. */
typedef struct book {
    sq_queue_t *queue;
    atomic_int users, inside;
    uint64_t fired; /* the queue protects it */
    atomic_bool is_done;
} book_t;

typedef struct delayed {
    book_t *book;
    uint64_t due;
    bool has_outcome;
} delayed_t;

static void drop(book_t *book) {
    if (atomic_fetch_sub_explicit(&book->users, 1, memory_order_acq_rel) == 1) {
        free(book);
        totals.open_books -= 1;
    }
}

static void enter(book_t *book) {
    MUST(atomic_exchange_explicit(&book->inside, 1, memory_order_relaxed) == 0, "two firings of one queue at once");
    MUST(sq_current_queue() == book->queue, "a firing without its queue");
}

static void leave(book_t *book) { atomic_store_explicit(&book->inside, 0, memory_order_relaxed); }

static void fire(void *context) {
    book_t *book = context;
    enter(book);
    MUST(!book->is_done, "a timer fires after its discard function was called");
    book->fired += 1;
    atomic_fetch_add_explicit(&totals.firings, 1, memory_order_relaxed);
    leave(book);
}

static void be_done(void *context) {
    book_t *book = context;
    enter(book);
    MUST(!atomic_exchange(&book->is_done, true), "a timer is discarded twice");
    leave(book);
    drop(book);
}

static void have_outcome(delayed_t *delayed) {
    book_t *book = delayed->book;
    enter(book);
    MUST(!delayed->has_outcome, "a delayed task has two outcomes");
    delayed->has_outcome = true;
    leave(book);
    free(delayed);
    totals.open_tasks -= 1;
    drop(book);
}

static void run_delayed(void *context) {
    delayed_t *delayed = context;
    MUST(sq_deadline(0) >= delayed->due, "a delayed task comes early");
    atomic_fetch_add_explicit(&totals.tasks, 1, memory_order_relaxed);
    have_outcome(delayed);
}

static void discard_delayed(void *context) {
    atomic_fetch_add_explicit(&totals.discards, 1, memory_order_relaxed);
    have_outcome(context);
}

static void delay(book_t *book, chance_t *chance) {
    uint64_t nanoseconds = below(chance, 2000000);
    delayed_t *delayed = malloc(sizeof *delayed);
    MUST(delayed != NULL, "no memory for the soak itself");
    *delayed = (delayed_t){ .book = book, .due = sq_deadline(nanoseconds) };
    book->users += 1;
    totals.open_tasks += 1;
    int error = sq_async_task_after(book->queue, nanoseconds, &(sq_task_t){ run_delayed, delayed, discard_delayed });
    MUST(error == 0, "a delayed task was refused with %d", error);
}

static void read_fired(void *context) {
    book_t *book = ((void **)context)[0];
    *(uint64_t *)((void **)context)[1] = book->fired;
}

static uint64_t fired(book_t *book) {
    uint64_t count = 0;
    int error = sq_sync(book->queue, read_fired, (void *[]){ book, &count });
    MUST(error == 0, "a sync next to a timer returned %d", error);
    return count;
}

static void use_timer(sq_timer_t *timer, book_t *book, chance_t *chance) {
    for (uint64_t i = 1 + below(chance, 3); i > 0; i -= 1) {
        uint64_t interval = below(chance, 2) ? 50000 + below(chance, 500000) : 0;
        MUST(sq_timer_start(timer, below(chance, 500000), interval, below(chance, 2) * 100000) == 0, "a timer did not start");
        if (below(chance, 2)) {
            nanosleep(&(struct timespec){ .tv_nsec = (long)below(chance, 1000000) }, NULL);
        }
        uint64_t how = below(chance, 3);
        if (how == 0) {
            MUST(sq_timer_cancel(timer) == 0, "a cancel failed");
        } else if (how == 1) {
            MUST(sq_timer_cancel_and_wait(timer, SQ_FOREVER) == 0, "a cancel that waits failed");
            uint64_t before = fired(book);
            nanosleep(&(struct timespec){ .tv_nsec = (long)below(chance, 300000) }, NULL);
            MUST(fired(book) == before, "a timer fired after a cancel that waited");
        }
    }
}

void timing(chance_t *chance) {
    sq_queue_options_t options = SQ_QUEUE_OPTIONS_INIT;
    options.pool = any_pool(chance);
    book_t *book = calloc(1, sizeof *book);
    MUST(book != NULL, "no memory for the soak itself");
    totals.open_books += 1;
    book->users = 1;
    book->queue = sq_queue_create("timing", &options);
    MUST(book->queue != NULL, "a queue cannot be made (errno %d)", errno);
    for (uint64_t i = below(chance, MOST_DELAYED + 1); i > 0; i -= 1) {
        delay(book, chance);
    }
    book->users += 1;
    sq_timer_t *timer = sq_timer_create(book->queue, &(sq_task_t){ fire, book, be_done });
    MUST(timer != NULL, "a timer cannot be made (errno %d)", errno);
    use_timer(timer, book, chance);
    bool is_given_up_first = below(chance, 2);
    if (is_given_up_first) {
        sq_timer_release(timer);
    }
    if (below(chance, 2)) {
        int error = sq_shutdown(book->queue, below(chance, 2) ? SQ_SHUTDOWN_DRAIN : SQ_SHUTDOWN_DISCARD, SQ_FOREVER);
        MUST(error == 0, "the shutdown of a queue with timers returned %d", error);
        MUST(book->is_done, "a timer outlives the shutdown of its queue");
        MUST(book->users == 1, "%d delayed tasks outlive the shutdown of their queue", book->users - 1);
    }
    if (!is_given_up_first) {
        sq_timer_release(timer);
    }
    sq_queue_release(book->queue);
    drop(book);
}
