#include "wait/deadlock_json.h"

#include "include/sq_private.h"
#include "platform/json.h"
#include "platform/peek.h"
#include "runner/runner_inline.h"

#include <stdio.h>
#include <string.h>

enum { THREAD = 2048, LABEL = 64 }; /* bytes of one thread, which its parts cannot exceed, and of a label */

/* What a thread holds and what it waits for. Labels: of a semaphore, group or item also its own, for sq__maker_of. */
typedef struct member {
    uint64_t id;
    const char *name;
    const sq_queue_t *held;              /* NULL: it holds what follows, if anything */
    const char *inside, *inside_label;
    const void *inside_maker;
    const char *kind, *label;            /* of what it waits for */
    const void *maker;
    const sq_queue_t *awaited;           /* NULL: no queue */
    bool is_limited;
} member_t;

static const char *kind_of(sq__aim_t aim) {
    static const char *const kinds[] = { [SQ__AIM_TURN] = "turn", [SQ__AIM_ROOM] = "room", [SQ__AIM_END] = "end", [SQ__AIM_TASK] = "timer" };
    return kinds[aim];
}

static void add_maker(sq__json_t *json, const char *name, const void *maker) {
    char site[SQ__JSON_STRING];
    if (maker != NULL) {
        sq__site_text(maker, site, sizeof site);
        sq__json_string(json, name, site, sizeof site);
    }
}

/* Appends the thread to the room, whole or not at all. */
static void add_member(char *room, const member_t *member) {
    char bytes[THREAD];
    sq__json_t json = { .size = sizeof bytes, .bytes = bytes };
    sq__json_add(&json, "%s{\"id\": %llu", room[0] != '\0' ? ", " : "", (unsigned long long)member->id);
    sq__json_string(&json, "name", member->name, LABEL);
    if (member->held != NULL) {
        sq__json_number(&json, "runs", member->held);
        sq__json_string(&json, "runs_label", member->held->label, LABEL);
    } else if (member->inside != NULL) {
        sq__json_string(&json, "inside", member->inside, LABEL);
        sq__json_string(&json, "inside_label", member->inside_label, LABEL);
        add_maker(&json, "inside_made_by", member->inside_maker);
    }
    sq__json_string(&json, "for", member->kind, LABEL);
    sq__json_string(&json, "label", member->label, LABEL);
    add_maker(&json, "made_by", member->maker);
    if (member->awaited != NULL) {
        sq__json_number(&json, "queue", member->awaited);
    }
    sq__json_truth(&json, "limited", member->is_limited);
    sq__json_add(&json, "}");
    size_t used = strlen(room);
    if (used + json.used < SQ__DEADLOCK_JSON) {
        memcpy(room + used, bytes, json.used + 1);
    }
}

/* M. */
static member_t member_of(const sq__edge_t *edge) {
    const sq__subject_t *subject = edge->wait->subject;
    const sq__held_t *held = &edge->held;
    member_t member = { .id = edge->thread_id, .name = edge->thread_name, .is_limited = edge->deadline != SQ_FOREVER };
    if (held->frame != NULL) {
        member.held = held->frame->owner;
    } else if (held->owned != 0) {
        member.inside = "loop";
        member.inside_label = sq__runner_label(held->owned);
    } else if (held->duty != NULL) {
        member.inside = held->duty->pool != NULL ? "apply" : held->duty->item != NULL ? "item" : "once";
        member.inside_label = held->duty->pool != NULL ? held->duty->pool : held->duty->item != NULL ? held->duty->item : "";
        member.inside_maker = held->duty->item != NULL ? sq__maker_of(held->duty->item) : NULL;
    } else {
        member.inside = "barrier"; /* it waits for its turn as one */
        member.inside_label = edge->wait->queue->label;
    }
    member.kind = subject != NULL ? subject->kind : kind_of(edge->wait->aim);
    member.label = sq__wait_label(edge->wait);
    member.maker = subject != NULL ? sq__subject_maker(subject) : NULL;
    member.awaited = subject == NULL ? edge->wait->queue : NULL;
    return member;
}

void sq__deadlock_json_cycle(char *room, const sq__edge_t *first) {
    const sq__edge_t *edge = first;
    room[0] = '\0';
    do {
        const member_t member = member_of(edge);
        add_member(room, &member);
        edge = edge->onward;
    } while (edge != first);
}

/* The calling thread. */
static void add_own(char *room, member_t member) {
    char name[16];
    sq__thread_name(name, sizeof name);
    member.id = sq__thread_id();
    member.name = name;
    room[0] = '\0';
    add_member(room, &member);
}

void sq__deadlock_json_own(char *room, const sq_queue_t *held, const sq_queue_t *awaited, sq__aim_t aim) {
    add_own(room, (member_t){ .held = held, .kind = kind_of(aim), .label = awaited->label, .awaited = awaited });
}

void sq__deadlock_json_once(char *room, const void *once) {
    char label[24];
    snprintf(label, sizeof label, "%p", once);
    add_own(room, (member_t){ .inside = "once", .inside_label = label, .kind = "once", .label = label });
}

void sq__deadlock_json_write(const char *report, const char *room) {
    sq__json_t json = { .size = SQ__JSON_SIZE, .bytes = sq__pages(SQ__JSON_SIZE) };
    if (json.bytes != NULL) {
        sq__json_begin(&json, "deadlock");
        sq__json_add(&json, ", \"threads\": [%s]", room);
        for (size_t before = json.used, most = SQ__JSON_SIZE; json.used == before && most > 0; most /= 2) {
            sq__json_string(&json, "text", report, most); /* a long one with many quotes is cut */
        }
        sq__json_write(&json);
        sq__pages_free(json.bytes, SQ__JSON_SIZE);
    }
}
