/* watch.c: adding, replacing and removing a queue's watcher. watch_thread.h has the design. */
#include "inspect/watch_thread.h"

#include "observe/observe_inline.h"
#include "platform/container.h"
#include "platform/memory.h"
#include "platform/unwind.h"
#include "state/state_inline.h"

#include <errno.h>

/* Calls the watcher's discard function, with no lock held, and frees it. NULL: no effect. */
static void discard(sq__watcher_t *watcher) {
    SQ__NOBODY_UNWINDS_THROUGH;
    if (watcher == NULL) {
        return;
    }
    if (watcher->given.discard != NULL) {
        watcher->given.discard(watcher->given.context);
    }
    sq__memory_free(watcher);
}

/* With the watch lock held: prevents further calls of the record's watcher. Returns it if the caller must discard it. NULL: there is none, or the
 * thread that calls it will discard it. */
static sq__watcher_t *retire(sq__watched_t *watched) {
    sq__watcher_t *watcher = watched->watcher;
    if (watcher != NULL && watcher->is_being_called) {
        watcher->is_dropped = true;
        return NULL;
    }
    return watcher;
}

/* The queue is about to be freed. With no lock held: takes the watch lock. On return the thread does not use the record any longer. */
static void forget(sq__watch_note_t *note) {
    sq__watched_t *watched = SQ__CONTAINER(note, sq__watched_t, note);
    sq__watch_lock();
    sq__watch_thread_remove(watched);
    sq__watcher_t *watcher = retire(watched);
    sq__watch_unlock();
    discard(watcher);
}

/* A copy of the given watcher, for `discard`. NULL: no memory. */
static sq__watcher_t *watcher_create(uint64_t threshold, const sq_watcher_t *given) {
    sq__watcher_t *watcher = sq__memory(sizeof *watcher);
    if (watcher != NULL) {
        *watcher = (sq__watcher_t){ .given = *given, .threshold = threshold, .discard = discard };
    }
    return watcher;
}

/* With the queue's lock held: makes `fresh` the queue's watcher; NULL: none. Returns 0 or ENOMEM: nothing has changed. On success the caller must
 * discard *old, which may be NULL, after the unlock. */
static int replace(sq_queue_t *queue, sq__watcher_t *fresh, sq__watcher_t **old) {
    int error = 0;
    sq__watched_t *watched = sq__extra_make(queue, SQ__EXTRA_WATCH, sizeof *watched);
    if (watched == NULL) {
        return ENOMEM;
    }
    if (watched->queue == NULL) { /* made just now; the holder may read these without a lock once it is watched */
        watched->queue = queue;
        watched->note.forget = forget;
        watched->note.wake = sq__watch_wake;
    }
    if (fresh != NULL && !sq__sited_begin(queue)) {
        return ENOMEM;
    }
    sq__watch_lock();
    if (fresh == NULL) {
        sq__watch_thread_remove(watched);
    } else {
        error = sq__watch_thread_add(watched, fresh);
    }
    if (error == 0) {
        *old = retire(watched);
        watched->watcher = fresh;
        sq__control(queue, SQ__WATCHED, fresh != NULL ? SQ__WATCHED : 0);
    }
    sq__watch_unlock();
    return error;
}

int sq_queue_watch(sq_queue_t *queue, uint64_t threshold, const sq_watcher_t *given) {
    SQ__CHECK_HANDLE(queue);
    sq__watcher_t *fresh = NULL, *old = NULL;
    if (given != NULL && threshold == 0) {
        return EINVAL;
    }
    if (sq__queue_is_stale(queue)) {
        return ESTALE;
    }
    if (given != NULL && (fresh = watcher_create(threshold, given)) == NULL) {
        return ENOMEM;
    }
    sq__lock(queue);
    int error = fresh != NULL || sq__extra(queue, SQ__EXTRA_WATCH) != NULL ? replace(queue, fresh, &old) : 0;
    sq__unlock(queue);
    if (error) {
        sq__memory_free(fresh); /* not discarded: on an error the context still belongs to the caller */
    }
    discard(old);
    return error;
}
