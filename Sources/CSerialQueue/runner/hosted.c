#include "runner/hosted.h"

#include "platform/memory.h"
#include "platform/peek.h"

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
    hosted->label = text;
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
    /* [members] release: our use of the pool; acquire, if it was the last: everybody's. */
    if (sq__sub_acq_rel(&hosted->references, 1) != 1 || sq__hosted_is_stale(hosted)) {
        return false;
    }
    sq__pools_remove(&hosted->listed);
    return true;
}

void sq__hosted_append(sq__hosted_t *hosted, sq__band_t band, sq__ready_t *entry) {
    sq__hosted_put_back(hosted, band, entry, true);
}

void sq__hosted_put_back(sq__hosted_t *hosted, sq__band_t band, sq__ready_t *entry, bool is_last) {
    (is_last ? sq__ready_append : sq__ready_put_first)(&hosted->ready, band, entry);
    sq__count(&hosted->waiting, 1);
}

sq__ready_t *sq__hosted_take_locked(sq__hosted_t *hosted, sq__band_t *band) {
    sq__ready_t *entry = sq__ready_take_first(&hosted->ready, band);
    sq__count(&hosted->waiting, entry != NULL ? (size_t)-1 : 0);
    return entry;
}

sq__ready_t *sq__hosted_take(sq__hosted_t *hosted, sq__band_t *band) { return sq__hosted_find(hosted, NULL, true, band); }

sq__ready_t *sq__hosted_find(sq__hosted_t *hosted, const sq__ready_t *wanted, bool takes, sq__band_t *band) {
    sq__mutex_lock(&hosted->lock);
    bool is_ready = wanted != NULL ? sq__ready_find(&hosted->ready, wanted, band) : !sq__ready_is_empty(&hosted->ready);
    sq__ready_t *entry = (sq__ready_t *)(uintptr_t)wanted;
    if (is_ready && takes && wanted == NULL) {
        entry = sq__hosted_take_locked(hosted, band);
    } else if (is_ready && takes) {
        sq__ready_take_out(&hosted->ready, *band, wanted);
        sq__count(&hosted->waiting, (size_t)-1);
    } else if (is_ready && wanted == NULL) {
        *band = sq__ready_next_band(&hosted->ready);
        entry = hosted->ready.lines[*band].first;
    }
    sq__mutex_unlock(&hosted->lock);
    return is_ready ? entry : NULL;
}

bool sq__hosted_call(sq__hosted_t *hosted, sq__band_t band, sq__ready_t *entry, size_t most, size_t *ran) {
    bool has_more = hosted->call(entry, most, ran) == SQ__READY_MORE;
    if (sq__hosted_is_stale(hosted)) {
        return false;
    }
    if (has_more) {
        hosted->listed.runner.kind->post(sq__runner(hosted, band), entry);
    }
    return true;
}

void sq__hosted_retain(sq__runner_t runner) {
    sq__hosted_t *hosted = sq__runner_object(runner);
    sq__add_relaxed(&hosted->references, 1);
}

const char *sq__hosted_label(sq__runner_t runner) { return ((const sq__hosted_t *)sq__runner_object(runner))->label; }

bool sq__hosted_run(sq__runner_t runner, sq__caller_run_t *caller_run, bool runs) {
    sq__hosted_t *hosted = sq__runner_object(runner);
    sq__band_t band;
    size_t ran = 0;
    sq__ready_t *entry = sq__hosted_is_stale(hosted) ? NULL : sq__hosted_find(hosted, caller_run->entry, runs, &band);
    if (entry != NULL && runs) {
        (void)sq__hosted_call(hosted, band, entry, 1, &ran);
    }
    return entry != NULL;
}

void sq__hosted_visit(sq__hosted_t *hosted, const sq__pool_visitor_t *visitor, sq__pool_view_t view, bool (*lacks_owner)(const sq__hosted_t *hosted)) {
    sq__peek_text(hosted->label, view.label, sizeof view.label); /* it does not change */
    view.is_locked = sq__mutex_lock_patiently(&hosted->lock, visitor->patience);
    view.lacks_owner = view.is_locked && lacks_owner != NULL && lacks_owner(hosted);
    view.waiting = sq__load_relaxed(&hosted->waiting);
    sq__pool_visit_ready(&hosted->ready, view.is_locked, visitor, &view);
    if (view.is_locked) {
        sq__mutex_unlock(&hosted->lock);
    }
    visitor->pool(visitor->context, &view);
}
