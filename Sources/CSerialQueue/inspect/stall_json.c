#include "inspect/stall_json.h"

#include "include/sq_private.h"
#include "platform/json.h"
#include "platform/peek.h"

/* A member, if the call site is known. */
static void add_site(sq__json_t *json, const char *name, const void *site) {
    char text[SQ__JSON_STRING];
    if (site != NULL) {
        sq__site_text(site, text, sizeof text);
        sq__json_string(json, name, text, sizeof text);
    }
}

static void write_line(sq__json_t *json, const sq_stall_t *stall) {
    sq__json_begin(json, "stall");
    sq__json_string(json, "kind", stall->kind == SQ_STALL_RUNNING ? "running" : "waiting", SQ__JSON_STRING);
    sq__json_number(json, "queue", (const void *)(uintptr_t)stall->number);
    sq__json_string(json, "label", stall->label, SQ__JSON_STRING);
    sq__json_count(json, "nanoseconds", stall->nanoseconds);
    sq__json_count(json, "waiting", stall->depth);
    sq__json_truth(json, "suspended", stall->suspended);
    sq__json_truth(json, "unowned", stall->unowned);
    if (stall->thread_id != 0) {
        sq__json_count(json, "thread", stall->thread_id);
        add_site(json, "function", stall->function != NULL ? (const char *)(uintptr_t)stall->function + 1 : NULL);
        add_site(json, "submitted_by", stall->caller);
    }
    if (stall->waits_for[0] != '\0') {
        sq__json_string(json, "waits_for", stall->waits_for, SQ__JSON_STRING);
    }
    sq__json_write(json);
}

void sq__stall_json(const sq_stall_t *stall) {
    sq__json_t json = { .size = SQ__JSON_SIZE, .bytes = sq__json_reports_are_on() ? sq__pages(SQ__JSON_SIZE) : NULL };
    if (json.bytes != NULL) {
        write_line(&json, stall);
        sq__pages_free(json.bytes, SQ__JSON_SIZE);
    }
}
