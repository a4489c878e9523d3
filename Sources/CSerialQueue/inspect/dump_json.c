/* dump_json.c: a dump as JSON. Nothing is folded or left out: an object for each thread, queue, pool and timer, each on a line of its own. */
#include "inspect/dump_json.h"

#include "gate/gate_inline.h"
#include "include/sq_version.h"
#include "inspect/dump_queues.h"
#include "inspect/dump_running.h"
#include "inspect/dump_threads.h"
#include "inspect/dump_waits.h"
#include "objects/objects.h"
#include "observe/observe.h"
#include "platform/clock.h"
#include "platform/program.h"
#include "state/state_inline.h"

#include <string.h>

/* The site of a queue costs four system calls. With more queues none is looked for. */
enum { MOST_SITES = 10000, PART = 300 };

/* Adds a string with its quotes. */
static void add_string(sq__dump_text_t *text, const char *string) {
    char escaped[PART + 8];
    size_t used = 0;
    sq__dump_add(text, "\"");
    for (; *string != '\0'; string += 1) {
        unsigned char byte = (unsigned char)*string;
        if (byte == '"' || byte == '\\') {
            escaped[used++] = '\\';
            escaped[used++] = (char)byte;
        } else {
            escaped[used++] = byte < 0x20 ? '?' : (char)byte;
        }
        if (used >= PART) {
            sq__dump_add(text, "%.*s", (int)used, escaped);
            used = 0;
        }
    }
    sq__dump_add(text, "%.*s\"", (int)used, escaped);
}

/* Adds a member behind others. */
static void add_text(sq__dump_text_t *text, const char *name, const char *string) {
    sq__dump_add(text, ", \"%s\": ", name);
    add_string(text, string);
}

static void add_count(sq__dump_text_t *text, const char *name, uint64_t count) { sq__dump_add(text, ", \"%s\": %llu", name, (unsigned long long)count); }

static void add_owner(sq__dump_text_t *text, uint64_t owner) {
    if (owner != 0) {
        add_count(text, "owner", owner);
    }
}

static void add_truth(sq__dump_text_t *text, const char *name, bool is_true) { sq__dump_add(text, ", \"%s\": %s", name, is_true ? "true" : "false"); }

/* A queue's number. */
static void add_queue(sq__dump_text_t *text, const void *queue) { sq__dump_add(text, ", \"queue\": \"%p\"", queue); }

/* A time that may not be known: 0. */
static void add_age(sq__dump_text_t *text, const char *name, const sq__view_t *view, uint64_t since) {
    if (since != 0) {
        add_count(text, name, view->now > since ? view->now - since : 0);
    }
}

static void add_symbol(sq__dump_text_t *text, const sq__view_t *view, const char *name, uintptr_t address) {
    char symbol[256];
    if (address != 0) {
        sq__symbols_text(view->symbols, address, symbol, sizeof symbol);
        add_text(text, name, symbol);
    }
}

static void add_caller(sq__dump_text_t *text, const sq__view_t *view, const char *name, const void *caller) {
    if (caller != NULL) {
        add_symbol(text, view, name, sq__site_of_call(caller));
    }
}

static void add_site(sq__dump_text_t *text, const sq__view_t *view, const void *site, bool is_call) {
    add_caller(text, view, is_call ? "called_by" : "submitted_by", site);
}

/* One object of a list, on a line; `i`: its place there. */
static void begin_object(sq__dump_text_t *text, size_t i) { sq__dump_add(text, "%s\n{", i > 0 ? "," : ""); }

static void add_frame(sq__dump_text_t *text, const sq__view_t *view, const sq__view_frame_t *frame, bool is_first) {
    const sq__view_queue_t *queue = sq__view_queue_of(view, frame->owner);
    uintptr_t code = sq__symbols_is_code(view->symbols, frame->code) ? frame->code : (uintptr_t)frame->function;
    bool is_exact;
    uint64_t since = sq__dump_runs_since(view, frame, &is_exact);
    sq__dump_add(text, "%s{\"exact\": %s", is_first ? "" : ", ", is_exact ? "true" : "false");
    add_age(text, "nanoseconds", view, since);
    if (frame->owner != NULL) {
        add_queue(text, frame->owner);
        add_text(text, "label", queue != NULL ? queue->label : "?");
    }
    add_symbol(text, view, "function", code);
    if (code == 0 && frame->what != NULL) {
        add_text(text, "what", frame->what);
    }
    add_site(text, view, frame->site, frame->is_call);
    sq__dump_add(text, "}");
}

/* For a wait for a group: peeks at it, as it may be gone. */
static void add_entered(sq__dump_text_t *text, const sq__view_t *view, const sq__view_thread_t *thread) {
    sq__object_view_t group;
    if (thread->kind[0] == 'g' && sq__group_peek(thread->object, &group) && group.entered > 0) {
        add_count(text, "entered", group.entered);
        add_caller(text, view, "entered_by", sq__dump_entered_by(thread));
    }
}

static void add_wait(sq__dump_text_t *text, const sq__view_t *view, const sq__view_thread_t *thread) {
    static const char *const aims[] = { [SQ__AIM_TURN] = "turn", [SQ__AIM_ROOM] = "room", [SQ__AIM_END] = "end", [SQ__AIM_TASK] = "timer" };
    unsigned aim = (unsigned)thread->wait.aim;
    const void *what;
    size_t count;
    const sq__view_key_t *held = sq__dump_holders_of(view, thread, &what, &count);
    sq__dump_add(text, ", \"wait\": {\"for\": ");
    add_string(text, thread->kind[0] != '\0' ? thread->kind : aim <= SQ__AIM_TASK ? aims[aim] : "queue");
    add_text(text, "label", thread->label);
    add_caller(text, view, "made_by", thread->maker);
    add_entered(text, view, thread);
    if (thread->kind[0] == '\0') {
        add_queue(text, thread->object);
        add_truth(text, "barrier", sq__peeked(&thread->wait.is_barrier));
    }
    add_count(text, "nanoseconds", view->now > thread->wait.since ? view->now - thread->wait.since : 0);
    if (thread->wait.deadline != SQ_FOREVER) {
        add_count(text, "limit_nanoseconds", thread->wait.deadline > view->now ? thread->wait.deadline - view->now : 0);
    }
    add_site(text, view, thread->wait.site, true);
    sq__dump_add(text, ", \"held_by\": [");
    for (size_t i = 0; i < count; i += 1) {
        sq__dump_add(text, "%s%llu", i > 0 ? ", " : "", (unsigned long long)sq__view_thread(view, held[i].item)->self.thread_id);
    }
    sq__dump_add(text, "]}");
}

static void add_thread(sq__dump_text_t *text, const sq__view_t *view, const sq__view_thread_t *thread) {
    char name[16];
    sq__thread_name_of(thread->self.thread_id, name, sizeof name);
    sq__dump_add(text, "\"id\": %llu", (unsigned long long)thread->self.thread_id);
    add_text(text, "name", name);
    sq__dump_add(text, ", \"runs\": [");
    for (unsigned i = 0; i < thread->frames && i < SQ__VIEW_FRAMES; i += 1) {
        add_frame(text, view, &thread->frame[i], i == 0);
    }
    sq__dump_add(text, "]");
    if (thread->once != NULL) {
        add_text(text, "inside", thread->is_apply ? "apply" : thread->is_item ? "item" : "once");
        add_text(text, "inside_label", thread->apply);
        add_caller(text, view, "inside_made_by", thread->item_maker);
    }
    if (thread->waits) {
        add_wait(text, view, thread);
    }
}

static void add_queue_object(sq__dump_text_t *text, const sq__view_t *view, const sq__view_queue_t *queue) {
    sq__dump_add(text, "\"number\": \"%p\"", (const void *)queue->at);
    add_text(text, "label", queue->label);
    add_count(text, "waiting", queue->depth);
    add_count(text, "begun", queue->ran);
    add_count(text, "waiting_threads", queue->threads);
    add_age(text, "longest_wait_nanoseconds", view, queue->oldest);
    add_site(text, view, queue->oldest_site, queue->oldest_is_call);
    add_truth(text, "runs", queue->runs);
    add_truth(text, "ready", queue->is_ready);
    add_truth(text, "unowned", queue->lacks_owner);
    add_owner(text, queue->owner);
    add_truth(text, "in_cycle", queue->is_in_cycle);
    add_count(text, "suspensions", queue->suspensions);
    add_truth(text, "shut_down", queue->state & SQ__CLOSED);
    add_truth(text, "ended", queue->state & SQ__ENDED);
    if (queue->is_concurrent) {
        add_count(text, "inside", sq__gate_inside(queue->gate));
        add_truth(text, "barrier_runs", queue->gate & SQ__GATE_BARRIER);
    }
}

static void add_pool(sq__dump_text_t *text, const sq__pool_view_t *pool) {
    const char *kind = pool->is_loop ? "loop" : pool->clock != NULL ? "manual" : "workers";
    sq__dump_add(text, "\"kind\": \"%s\"", kind);
    add_text(text, "label", pool->label);
    add_count(text, "ready", pool->waiting);
    if (kind[0] == 'w') {
        add_count(text, "permits", pool->permits);
        add_count(text, "permits_taken", pool->in_use);
        add_count(text, "most_permits", pool->most);
        add_count(text, "threads", pool->workers);
        add_count(text, "idle", pool->idle);
        add_count(text, "blocked", pool->blocked);
        add_count(text, "waiting_without_permit", pool->lent);
    }
    add_truth(text, "unowned", pool->lacks_owner);
    add_owner(text, pool->owner);
    add_truth(text, "exact", pool->is_locked);
}

static void add_timer(sq__dump_text_t *text, const sq__view_timer_t *timer) {
    sq__dump_add(text, "\"delayed\": %s", timer->is_delayed ? "true" : "false");
    add_queue(text, timer->queue);
    add_text(text, "label", timer->label);
    add_count(text, "in_nanoseconds", timer->in);
    if (timer->interval > 0) {
        add_count(text, "interval_nanoseconds", timer->interval);
    }
    if (timer->pool[0] != '\0') {
        add_text(text, "clock_of", timer->pool);
    }
}

static void add_missing(sq__dump_text_t *text, bool is_missing, const char *what, size_t *count) {
    if (is_missing) {
        sq__dump_add(text, "%s\"%s\"", *count > 0 ? ", " : "", what);
        *count += 1;
    }
}

/* What could not be looked at; see add_left_out in dump.c. */
static void add_left_out(sq__dump_text_t *text, const sq__view_t *view, const sq__dump_report_t *report) {
    size_t count = 0;
    sq__dump_add(text, "\"left_out\": [");
    add_missing(text, !view->had_threads, "lock of threads", &count);
    add_missing(text, !view->had_pools, "pools", &count);
    add_missing(text, view->without_suspended > 0 || sq__suspended_missed() > 0, "suspended queues", &count);
    add_missing(text, view->without_timers > 0, "timers", &count);
    add_missing(text, !report->is_known, "last deadlock", &count);
    add_missing(text, view->had_no_memory, "memory", &count);
    sq__dump_add(text, "],\n");
}

static void add_report(sq__dump_text_t *text, const sq__dump_report_t *report) {
    if (report->text != NULL) {
        sq__dump_add(text, "\"last_deadlock\": {\"nanoseconds_ago\": %llu", (unsigned long long)report->age);
        add_text(text, "report", report->text);
        sq__dump_add(text, "},\n");
    } else {
        sq__dump_add(text, "\"last_deadlock\": null,\n");
    }
}

void sq__dump_json_want(sq__view_t *view) {
    for (size_t i = 0; i < view->threads.count; i += 1) {
        const sq__view_thread_t *thread = sq__view_thread(view, i);
        sq__dump_want_functions(view, thread);
        sq__view_want_site(view, thread->waits ? thread->wait.site : NULL);
        sq__view_want_site(view, thread->maker);
        sq__view_want_site(view, thread->waits ? sq__dump_entered_by(thread) : NULL);
    }
    for (size_t i = 0; i < view->order.count && view->order.count <= MOST_SITES; i += 1) {
        sq__view_find_site(sq__view_queue(view, i));
        sq__view_want_site(view, sq__view_queue(view, i)->oldest_site);
    }
}

void sq__dump_json(sq__dump_text_t *text, const sq__view_t *view, const sq__dump_report_t *report, uint64_t began) {
    size_t shown = 0;
    sq__dump_add(text, "{\"process\": %d,\n\"version\": \"%s\",\n\"threads\": [", sq__process_id(), sq_version());
    for (size_t i = 0; i < view->threads.count; i += 1) {
        const sq__view_thread_t *thread = sq__view_thread(view, i);
        if (thread->frames > 0 || thread->once != NULL || thread->waits) {
            begin_object(text, shown++);
            add_thread(text, view, thread);
            sq__dump_add(text, "}");
        }
    }
    sq__dump_add(text, "],\n\"queues\": [");
    for (size_t i = 0; i < view->order.count; i += 1) {
        begin_object(text, i);
        add_queue_object(text, view, sq__view_queue(view, i));
        sq__dump_add(text, "}");
    }
    sq__dump_add(text, "],\n\"pools\": [");
    for (size_t i = 0; i < view->pools.count; i += 1) {
        begin_object(text, i);
        add_pool(text, (const sq__pool_view_t *)(void *)view->pools.items + i);
        sq__dump_add(text, "}");
    }
    sq__dump_add(text, "],\n\"timers\": [");
    for (size_t i = 0; i < view->timers.count; i += 1) {
        begin_object(text, i);
        add_timer(text, (const sq__view_timer_t *)(void *)view->timers.items + i);
        sq__dump_add(text, "}");
    }
    sq__dump_add(text, "],\n");
    add_report(text, report);
    add_left_out(text, view, report);
    sq__dump_add(text, "\"took_nanoseconds\": %llu}\n", (unsigned long long)(sq__clock_now() - began));
}
