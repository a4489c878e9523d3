/* dump.c: what all queues, threads and pools do now. dump_view.h says how that is found. */
#include "include/sq_inspect.h"

#include "inspect/dump.h"
#include "inspect/dump_json.h"
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
    sq__section_t waits, running, suspended, pools, timers;
    sq__queues_section_t queues;
    size_t left_out; /* lines */
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

/* Fills the view of a zeroed dump. On return no lock is held. */
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
    view->now = sq__clock_now();
}

/* Decides what is one line, and which lines are written, at most so many; and finds their symbols. */
static void fold(dump_t *dump, size_t lines) {
    sq__view_t *view = &dump->view;
    sq__section_t *const sections[] = { &dump->waits, &dump->running, &dump->queues.section, &dump->suspended, &dump->pools, &dump->timers };
    sq__dump_waits_fold(view, &dump->waits);
    sq__dump_running_fold(view, &dump->running);
    sq__dump_queues_fold(view, &dump->queues);
    sq__dump_suspended_fold(view, &dump->suspended);
    dump->pools.wanted = view->pools.count;
    dump->timers.wanted = view->timers.count;
    sq__section_grant(sections, sizeof sections / sizeof sections[0], lines);
    for (size_t i = 0; i < sizeof sections / sizeof sections[0]; i += 1) {
        dump->left_out += sections[i]->wanted - sections[i]->granted;
    }
    sq__dump_running_want(view, &dump->running);
    sq__dump_waits_want(view, &dump->waits);
    sq__dump_queues_want(view, &dump->queues);
    sq__symbols_find(view->symbols);
}

/* Writes the view as JSON, and flushes. An error is in text.error. */
static void write_json(dump_t *dump, uint64_t began) {
    sq__view_t *view = &dump->view;
    sq__dump_report_t report = { .text = NULL };
    uint64_t when;
    sq__dump_waits_fold(view, &dump->waits); /* this and the next mark the queues */
    sq__dump_running_fold(view, &dump->running);
    sq__dump_json_want(view);
    sq__symbols_find(view->symbols);
    if (sq__deadlock_last_report(&view->patience, dump->report, sizeof dump->report, &when, &report.is_known)) {
        report.text = dump->report;
        report.age = view->now > when ? view->now - when : 0;
    }
    sq__dump_json(&dump->text, view, &report, began);
    sq__dump_flush(&dump->text);
}

/* Writes all sections of the view, and flushes. An error is in text.error. `began`: when the dump began. */
static void write_all(dump_t *dump, uint64_t began) {
    sq__dump_text_t *text = &dump->text;
    sq__view_t *view = &dump->view;
    sq__dump_add(text, "SERIALQUEUE DUMP OF PROCESS %d\n", sq__process_id());
    sq__dump_waits(text, view, &dump->waits);
    sq__dump_running(text, view, &dump->running);
    sq__dump_queues(text, view, &dump->queues);
    sq__dump_suspended(text, view, &dump->suspended);
    sq__dump_pools(text, view, &dump->pools);
    sq__dump_timers(text, view, &dump->timers);
    add_last_report(dump);
    add_left_out(text, view);
    if (dump->left_out > 0) {
        sq__dump_add(text, "%zu lines were left out. SQ_DUMP=USR1,lines=N has N lines.\n", dump->left_out);
    }
    sq__dump_add(text, "END OF THE DUMP, which took ");
    sq__dump_add_time(text, sq__clock_now() - began);
    sq__dump_add(text, "\n");
    sq__dump_flush(text);
}

static void forget(dump_t *dump) {
    sq__section_free(&dump->waits);
    sq__section_free(&dump->running);
    sq__section_free(&dump->queues.section);
    sq__section_free(&dump->suspended);
    sq__view_list_free(&dump->queues.sums);
    sq__view_list_free(&dump->view.threads);
    sq__view_list_free(&dump->view.held);
    sq__view_list_free(&dump->view.queues);
    sq__view_list_free(&dump->view.order);
    sq__view_list_free(&dump->view.pools);
    sq__view_list_free(&dump->view.timers);
    sq__pages_free(dump, sizeof *dump);
}

/* `lines` 0: as JSON. */
static int dump_to(int fd, size_t lines) {
    uint64_t began = sq__clock_now();
    dump_t *dump = sq__pages(sizeof *dump);
    if (dump == NULL) {
        return ENOMEM;
    }
    dump->text.file = fd;
    look(dump);
    if (lines == 0) {
        write_json(dump, began);
    } else {
        fold(dump, lines);
        write_all(dump, began);
    }
    int error = dump->text.error;
    forget(dump);
    return error;
}

int sq__dump_lines(int fd, size_t lines) { return dump_to(fd, lines); }

int sq_dump(int fd) { return dump_to(fd, SQ__DUMP_LINES); }

int sq_dump_json(int fd) { return dump_to(fd, 0); }
