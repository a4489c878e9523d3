#include "observe/call_sites.h"

#include "state/extras.h"

static sq__era_t era_of(const sq_queue_t *queue) {
    const sq__cold_t *cold = sq__load_acquire(&queue->cold); /* [watch] acquire: the record as it was made */
    return sq__load_relaxed(&cold->era);
}

void sq__sited_begin(const sq_queue_t *queue) {
    if (!sq__is_sited(queue)) {
        sq__store_relaxed(&sq__load_relaxed(&queue->cold)->era, sq__sites_new_era());
    }
}

sq__site_t sq__sited_put(const sq_queue_t *queue, uintptr_t where) {
    sq__site_t site = sq__sites_noted(queue);
    sq__sites_put(era_of(queue), queue, where, site);
    return site;
}

sq__site_t sq__sited_call(const sq_queue_t *queue, sq__site_t site) {
    sq__site_t noted = sq__sites_noted(queue);
    return noted != 0 ? noted : site;
}

void sq__sited_put_call(const sq_queue_t *queue, uintptr_t where, sq__site_t site) { sq__sites_put(era_of(queue), queue, where, site); }

sq__site_t sq__sited_take(const sq_queue_t *queue, uintptr_t where) { return sq__sites_take(era_of(queue), queue, where); }

void sq__sited_keep(const sq_queue_t *queue, const void *task) {
    if (sq__is_sited(queue)) {
        sq__sites_put(era_of(queue), task, 0, sq__sites_noted(queue));
    }
}

void sq__sited_restore(const sq_queue_t *queue, const void *task) {
    if (sq__is_sited(queue)) {
        sq__sites_note(queue, sq__sites_take(era_of(queue), task, 0), true);
    }
}

void sq__sited_note(const sq_queue_t *queue, const void *file, unsigned line) {
    if (sq__trace_is_on() || sq__is_sited(queue)) {
        sq__sites_note(queue, sq__site(file, line), true);
    }
}
