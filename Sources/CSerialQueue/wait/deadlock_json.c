#include "wait/deadlock_json.h"

#include "platform/json.h"
#include "platform/text.h"
#include "runner/runner_inline.h"

#include <stdio.h>

enum { THREAD = 2048, THREADS = 2560 }; /* bytes of one thread, which its parts cannot exceed, and of all */

static const char *kind_of(sq__aim_t aim) {
    static const char *const kinds[] = { [SQ__AIM_TURN] = "turn", [SQ__AIM_ROOM] = "room", [SQ__AIM_END] = "end", [SQ__AIM_TASK] = "timer" };
    return kinds[aim];
}

/* The label's end belongs to it: what is behind that of an object without a label is in `maker`. */
static void set_label(char *to, const char *label) { sq__text_copy(to, SQ__DEADLOCK_LABEL, label); }

/* M. */
static void set_held(sq__deadlock_thread_t *thread, const sq__edge_t *edge) {
    const sq__held_t *held = &edge->held;
    const char *label;
    if (held->frame != NULL) {
        thread->runs = held->frame->owner;
        label = thread->runs->label;
    } else if (held->owned != 0) {
        thread->inside = "loop";
        label = sq__runner_label(held->owned);
    } else if (held->duty == NULL) {
        thread->inside = "barrier"; /* it waits for its turn as one */
        label = edge->wait->queue->label;
    } else if (held->duty->pool != NULL) {
        thread->inside = "apply";
        label = held->duty->pool;
    } else if (held->duty->item != NULL) {
        thread->inside = "item";
        label = held->duty->item;
        thread->inside_maker = sq__maker_of(label);
    } else {
        thread->inside = "once";
        label = "";
    }
    set_label(thread->held_label, label);
}

/* M. */
static void set_wait(sq__deadlock_thread_t *thread, const sq__edge_t *edge) {
    const sq__subject_t *subject = edge->wait->subject;
    thread->kind = subject != NULL ? subject->kind : kind_of(edge->wait->aim);
    thread->maker = subject != NULL ? sq__subject_maker(subject) : NULL;
    thread->awaited = subject == NULL ? edge->wait->queue : NULL;
    thread->is_limited = edge->deadline != SQ_FOREVER;
    set_label(thread->label, sq__wait_label(edge->wait));
}

void sq__deadlock_json_cycle(sq__deadlock_threads_t *threads, const sq__edge_t *first) {
    const sq__edge_t *edge = first;
    threads->count = 0;
    do {
        sq__deadlock_thread_t *thread = &threads->thread[threads->count++];
        *thread = (sq__deadlock_thread_t){ .id = edge->thread_id };
        sq__text_copy(thread->name, sizeof thread->name, edge->thread_name);
        set_held(thread, edge);
        set_wait(thread, edge);
        edge = edge->onward;
    } while (edge != first && threads->count < SQ__DEADLOCK_THREADS);
}

/* The calling thread. */
static sq__deadlock_thread_t *set_own(sq__deadlock_threads_t *threads, const char *kind, const char *held_label, const char *label) {
    sq__deadlock_thread_t *thread = &threads->thread[0];
    threads->count = 1;
    *thread = (sq__deadlock_thread_t){ .id = sq__self_thread_id(), .kind = kind };
    sq__thread_name(thread->name, sizeof thread->name);
    set_label(thread->held_label, held_label);
    set_label(thread->label, label);
    return thread;
}

void sq__deadlock_json_own(sq__deadlock_threads_t *threads, const sq_queue_t *held, const sq_queue_t *awaited, sq__aim_t aim) {
    sq__deadlock_thread_t *thread = set_own(threads, kind_of(aim), held->label, awaited->label);
    thread->runs = held;
    thread->awaited = awaited;
}

void sq__deadlock_json_once(sq__deadlock_threads_t *threads, const void *once) {
    char label[24];
    snprintf(label, sizeof label, "%p", once);
    set_own(threads, "once", label, label)->inside = "once";
}

/* Writing, with no lock */

static void add_thread(sq__json_t *json, const sq__deadlock_thread_t *thread) {
    sq__json_add(json, "{\"id\": %llu", (unsigned long long)thread->id);
    sq__json_string(json, "name", thread->name, SQ__DEADLOCK_LABEL);
    if (thread->runs != NULL) {
        sq__json_number(json, "runs", thread->runs);
        sq__json_string(json, "runs_label", thread->held_label, SQ__DEADLOCK_LABEL);
    } else if (thread->inside != NULL) {
        sq__json_string(json, "inside", thread->inside, SQ__DEADLOCK_LABEL);
        sq__json_string(json, "inside_label", thread->held_label, SQ__DEADLOCK_LABEL);
        sq__site_json(json, "inside_made_by", thread->inside_maker);
    }
    sq__json_string(json, "for", thread->kind, SQ__DEADLOCK_LABEL);
    sq__json_string(json, "label", thread->label, SQ__DEADLOCK_LABEL);
    sq__site_json(json, "made_by", thread->maker);
    if (thread->awaited != NULL) {
        sq__json_number(json, "queue", thread->awaited);
    }
    sq__json_truth(json, "limited", thread->is_limited);
    sq__json_add(json, "}");
}

/* Appends the threads, each whole or not at all. */
static void add_threads(sq__json_t *json, const sq__deadlock_threads_t *threads) {
    char bytes[THREAD];
    size_t used = 0;
    for (unsigned i = 0; i < threads->count; i += 1) {
        sq__json_t one = { .size = sizeof bytes, .bytes = bytes };
        add_thread(&one, &threads->thread[i]);
        if (used + one.used < THREADS) {
            sq__json_add(json, "%s%s", used > 0 ? ", " : "", bytes);
            used += one.used + 2;
        }
    }
}

void sq__deadlock_json_write(const char *report, const sq__deadlock_threads_t *threads) {
    sq__json_t json;
    if (sq__json_begin(&json, "deadlock")) {
        sq__json_add(&json, ", \"threads\": [");
        add_threads(&json, threads);
        sq__json_add(&json, "]");
        for (size_t before = json.used, most = SQ__JSON_SIZE; json.used == before && most > 0; most /= 2) {
            sq__json_string(&json, "text", report, most); /* a long one with many quotes is cut */
        }
        sq__json_write(&json);
    }
}
