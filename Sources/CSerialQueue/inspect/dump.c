/* dump.c: what all queues, threads and pools do now. dump_view.h says how that is found. */
#include "include/sq_inspect.h"

#include "inspect/dump_queues.h"
#include "inspect/dump_running.h"
#include "inspect/dump_threads.h"
#include "inspect/dump_timers.h"
#include "inspect/dump_waits.h"
#include "inspect/dump_work.h"
#include "observe/observe.h"
#include "platform/clock.h"
#include "platform/program.h"
#include "wait/wait.h"

#include <errno.h>

typedef struct dump {
    sq__view_t view;
    sq__dump_text_t text;
    sq__symbols_t symbols;
    char report[1024];
} dump_t;

/* Adds the section on the last deadlock report. What is left of the view's patience limits its wait for the lock. */
static void add_last_report(dump_t *dump) {
    uint64_t when;
    bool is_known;
    sq__dump_add(&dump->text, "LAST DEADLOCK REPORT\n");
    if (sq__deadlock_last_report(&dump->view.patience, dump->report, sizeof dump->report, &when, &is_known)) {
        sq__dump_add(&dump->text, "  ");
        sq__dump_add_time(&dump->text, dump->view.now > when ? dump->view.now - when : 0);
        sq__dump_add(&dump->text, " ago: %s\n", dump->report);
    } else if (!is_known) {
        sq__dump_add(&dump->text, "  left out: another thread held its lock at each try\n");
    } else {
        sq__dump_add_none(&dump->text, 0);
    }
}

/* Names what is missing because other threads held locks. */
static void add_left_out(sq__dump_text_t *text, const sq__view_t *view) {
    if (!view->had_threads) {
        sq__dump_add(text, "Another thread held the lock of the list of threads at each try: that list was read without its lock.\n");
    }
    if (!view->had_pools) {
        sq__dump_add(text, "Another thread held the lock of the list of pools at each try: the pools, and the queues that wait for one, "
                           "were left out.\n");
    }
    if (view->without_suspended > 0) {
        sq__dump_add(text, "Another thread held a lock of suspended queues at each try: some suspended queues were left out.\n");
    }
    if (view->without_timers > 0) {
        sq__dump_add(text, "Another thread held the lock of timers at each try: some timers were left out.\n");
    }
    if (!view->had_threads || !view->had_pools || view->without_suspended > 0 || view->without_timers > 0) {
        sq__dump_add(text, "A thread that holds a lock for so long is stuck, or the machine is very busy.\n");
    }
    if (sq__suspended_missed() > 0) {
        sq__dump_add(text, "Suspended queues may be missing: there was no memory to list %llu of them.\n",
                     (unsigned long long)sq__suspended_missed());
    }
    if (view->had_no_memory) {
        sq__dump_add(text, "There was not enough memory for all of it.\n");
    }
}

/* Fills the view of a zeroed dump. On return no lock is held, and the symbols are found. */
static void look(dump_t *dump) {
    sq__view_t *view = &dump->view;
    view->symbols = &dump->symbols;
    view->patience.tries = SQ__DUMP_TRIES;
    view->threads.size = sizeof(sq__view_thread_t);
    view->held.size = sizeof(sq__view_key_t);
    view->order.size = sizeof(sq__view_key_t);
    view->queues.size = sizeof(sq__view_queue_t);
    view->pools.size = sizeof(sq__pool_view_t);
    view->timers.size = sizeof(sq__view_timer_t);
    sq__view_look_at_threads(view);
    sq__view_look_at_queues(view);
    sq__view_look_at_timers(view, NULL, "");
    sq__symbols_find(view->symbols);
    view->now = sq__clock_now();
}

/* Writes all sections of the view, and flushes. An error is in text.error. `began`: when the dump began. */
static void write_all(dump_t *dump, uint64_t began) {
    sq__dump_text_t *text = &dump->text;
    sq__view_t *view = &dump->view;
    sq__dump_add(text, "SERIALQUEUE DUMP OF PROCESS %d\n", sq__process_id());
    sq__dump_waits(text, view);
    sq__dump_running(text, view);
    sq__dump_queues(text, view);
    sq__dump_suspended(text, view);
    sq__dump_pools(text, view);
    sq__dump_timers(text, view);
    add_last_report(dump);
    add_left_out(text, view);
    sq__dump_add(text, "END OF THE DUMP, which took ");
    sq__dump_add_time(text, sq__clock_now() - began);
    sq__dump_add(text, "\n");
    sq__dump_flush(text);
}

static void forget(sq__view_list_t *list) { sq__pages_free(list->items, list->room * list->size); }

int sq_dump(int fd) {
    uint64_t began = sq__clock_now();
    dump_t *dump = sq__pages(sizeof *dump);
    if (dump == NULL) {
        return ENOMEM;
    }
    dump->text.file = fd;
    look(dump);
    write_all(dump, began);
    int error = dump->text.error;
    forget(&dump->view.threads);
    forget(&dump->view.held);
    forget(&dump->view.queues);
    forget(&dump->view.order);
    forget(&dump->view.pools);
    forget(&dump->view.timers);
    sq__pages_free(dump, sizeof *dump);
    return error;
}
