#include "inspect/stall_json.h"

#include "platform/json.h"
#include "trace/trace.h"

void sq__stall_json(const sq_stall_t *stall) {
    sq__json_t json;
    if (!sq__json_reports_are_on() || !sq__json_begin(&json, "stall")) {
        return;
    }
    sq__json_string(&json, "kind", stall->kind == SQ_STALL_RUNNING ? "running" : "waiting", SQ__JSON_STRING);
    sq__json_number(&json, "queue", (const void *)(uintptr_t)stall->number);
    sq__json_string(&json, "label", stall->label, SQ__JSON_STRING);
    sq__json_count(&json, "nanoseconds", stall->nanoseconds);
    sq__json_count(&json, "waiting", stall->depth);
    sq__json_truth(&json, "suspended", stall->suspended);
    sq__json_truth(&json, "unowned", stall->unowned);
    if (stall->thread_id != 0) {
        sq__json_count(&json, "thread", stall->thread_id);
        sq__site_json(&json, "function", stall->function != NULL ? (const char *)(uintptr_t)stall->function + 1 : NULL);
        sq__site_json(&json, "submitted_by", stall->caller);
    }
    if (stall->waits_for[0] != '\0') {
        sq__json_string(&json, "waits_for", stall->waits_for, SQ__JSON_STRING);
    }
    sq__json_write(&json);
}
