#include "runner/hosted.h"

#include "platform/memory.h"
#include "platform/peek.h"
#include "runner/ready.h"
#include "runner/runner_inline.h"

#include <string.h>

void *sq__hosted_create(size_t bytes, const sq__runner_kind_t *kind, const char *label, sq__ready_function_t call) {
    size_t length = strlen(label);
    sq__hosted_t *hosted = sq__memory_zeroed(bytes + length + 1);
    if (hosted == NULL) {
        return NULL;
    }
    char *text = (char *)hosted + bytes;
    memcpy(text, label, length + 1);
    hosted->listed.runner.kind = kind;
    hosted->listed.process = sq__process();
    hosted->call = call;
    hosted->listed.label = text;
    sq__store_relaxed(&hosted->references, 1);
    if (sq__mutex_init(&hosted->lock) != 0) {
        sq__memory_free(hosted);
        return NULL;
    }
    return hosted;
}

void sq__hosted_free(sq__hosted_t *hosted) {
    sq__mutex_destroy(&hosted->lock);
    sq__memory_free(hosted);
}

bool sq__hosted_is_last_release(sq__hosted_t *hosted) {
    /* [pool] release: our use of the pool; acquire, if it was the last: everybody's. */
    if (sq__sub_acq_rel(&hosted->references, 1) != 1 || sq__hosted_is_stale(hosted)) {
        return false;
    }
    sq__pools_remove(&hosted->listed);
    return true;
}

void sq__hosted_put(sq__hosted_t *hosted, sq__level_t level, sq__ready_t *entry, bool is_last) {
    (is_last ? sq__ready_append : sq__ready_put_first)(&hosted->ready, level, entry);
    sq__count(&hosted->waiting, 1);
}

sq__ready_t *sq__hosted_take_locked(sq__hosted_t *hosted, sq__ready_t *wanted, sq__level_t *level) {
    sq__ready_t *entry = wanted;
    if (wanted == NULL) {
        entry = sq__ready_take_first(&hosted->ready, level);
    } else if (!sq__ready_find(&hosted->ready, wanted, level) || !sq__ready_take_out(&hosted->ready, *level, wanted)) {
        entry = NULL;
    }
    sq__count(&hosted->waiting, entry != NULL ? (size_t)-1 : 0);
    sq__count(&hosted->taken, entry != NULL);
    return entry;
}

sq__ready_t *sq__hosted_take(sq__hosted_t *hosted, sq__ready_t *wanted, sq__level_t *level) {
    if (sq__load_relaxed(&hosted->waiting) == 0) {
        return NULL;
    }
    sq__mutex_lock(&hosted->lock);
    sq__ready_t *entry = sq__hosted_take_locked(hosted, wanted, level);
    sq__mutex_unlock(&hosted->lock);
    return entry;
}

/* True: this entry is ready; NULL: any one. */
static bool has_ready(sq__hosted_t *hosted, const sq__ready_t *wanted) {
    sq__level_t level;
    sq__mutex_lock(&hosted->lock);
    bool is_ready = wanted != NULL ? sq__ready_find(&hosted->ready, wanted, &level) : !sq__ready_is_empty(&hosted->ready);
    sq__mutex_unlock(&hosted->lock);
    return is_ready;
}

bool sq__hosted_call(sq__hosted_t *hosted, sq__level_t level, sq__ready_t *entry, size_t most, size_t *ran) {
    bool has_more = hosted->call(entry, most, ran) == SQ__READY_MORE;
    if (sq__hosted_is_stale(hosted)) {
        return false;
    }
    if (has_more) {
        hosted->listed.runner.kind->post(sq__runner(hosted, level), entry);
    }
    return true;
}

void sq__hosted_retain(sq__runner_t runner) {
    sq__hosted_t *hosted = sq__runner_object(runner);
    sq__add_relaxed(&hosted->references, 1);
}

/* By a thread that may run entries, with a reference and no lock. Runs one task of caller_run->entry, or of any entry if that is NULL. False: it is
 * not ready; or, if `runs`, this is the child of a fork. */
bool sq__hosted_run(sq__runner_t runner, sq__caller_run_t *caller_run, bool runs) {
    sq__hosted_t *hosted = sq__runner_object(runner);
    sq__level_t level;
    size_t ran = 0;
    if (!runs || sq__hosted_is_stale(hosted)) {
        return !runs && has_ready(hosted, caller_run->entry);
    }
    sq__ready_t *entry = sq__hosted_take(hosted, caller_run->entry, &level);
    return entry != NULL && (sq__hosted_call(hosted, level, entry, 1, &ran), true);
}

/* With the lock of the list of pools, so the object exists. */
void sq__hosted_visit(sq__runner_t runner, const sq__pool_visitor_t *visitor) {
    sq__hosted_t *hosted = sq__runner_object(runner);
    sq__pool_view_t view = { .is_loop = sq__runner_is_owned(runner), .clock = sq__runner_clock(runner) };
    sq__peek_text(hosted->listed.label, view.label, sizeof view.label); /* it does not change */
    view.is_locked = sq__mutex_lock_patiently(&hosted->lock, visitor->patience);
    view.lacks_owner = view.is_loop && view.is_locked && sq__runner_kind(runner)->lacks_owner(runner, true);
    view.owner = view.is_loop && view.is_locked ? sq__runner_kind(runner)->last_owner(runner) : 0;
    view.waiting = sq__load_relaxed(&hosted->waiting);
    const sq__ready_visit_t visit = { &hosted->ready, view.is_locked ? &hosted->lock : NULL, &hosted->taken, view.waiting };
    view.is_locked = sq__pool_visit_ready(&visit, visitor, &view);
    if (view.is_locked) {
        sq__mutex_unlock(&hosted->lock);
    }
    visitor->pool(visitor->context, &view);
}

const sq__layout_t sq__hosted_layout[] = {
    SQ__LAYOUT_FIELD(sq__hosted_t, waiting),
    SQ__LAYOUT_FIELD(sq__hosted_t, ready),
    { .name = "" },
};
