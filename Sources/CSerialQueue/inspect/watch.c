#include "inspect/watch.h"

#include "platform/clock.h"
#include "platform/memory.h"
#include "platform/thread.h"
#include "platform/unwind.h"
#include "queue/fork.h"
#include "kernel/handle.h"
#include "kernel/lock.h"
#include "inspect/watch_thread.h"

#include <errno.h>
#include <string.h>

void sq__watch_begin(sq_queue_t *queue, sq_function_t function) {
    sq__cold_t *cold = sq__load_acquire(&queue->cold); /* [watch] acquire: the note as it was made */
    if (sq__load_relaxed(&cold->began) == SQ__WATCH_RESTS) { /* [rest] of the swap that took the queue */
        sq__watch_wake(cold);
    }
    sq__store_relaxed(&cold->began, 0);
    sq__store_release(&cold->function, function); /* [note] release: none of the old `began` with the new function */
    sq__store_release(&cold->thread_id, sq__thread_id()); /* [note] release: the same */
    sq__store_release(&cold->began, sq__clock_now()); /* [note] release: the two above */
}

void sq__watch_end(sq_queue_t *queue) {
    sq__store_relaxed(&sq__load_acquire(&queue->cold)->began, 0); /* [watch] acquire */
}

void sq__watch_wake_for(sq_queue_t *queue) {
    sq__cold_t *cold = sq__load_acquire(&queue->cold); /* [watch] acquire: the note as it was made */
    if (sq__load_relaxed(&cold->began) == SQ__WATCH_RESTS) { /* [rest] as above */
        sq__watch_wake(cold);
    }
}

void sq__watch_rename(sq_queue_t *queue, sq_function_t function) {
    sq__cold_t *cold = sq__load_relaxed(&queue->cold); /* made before the task was submitted */
    uint64_t began = sq__load_relaxed(&cold->began);
    if (began != 0 && began != SQ__WATCH_RESTS) { /* ours; else the task is not noted, and its end will not be */
        sq__watch_begin(queue, function);
    }
}

static void let_go(sq__watcher_t *watcher) {
    SQ__NOBODY_UNWINDS_THROUGH;
    if (watcher == NULL) {
        return;
    }
    if (watcher->given.discard != NULL) {
        watcher->given.discard(watcher->given.context);
    }
    sq__memory_free(watcher);
}

/* With the thread's lock: the note's watcher is not told any more. Returns it if it is the caller's to let go of. */
static sq__watcher_t *retire(sq__cold_t *cold) {
    sq__watcher_t *watcher = cold->watcher;
    if (watcher != NULL && watcher->is_being_called) {
        watcher->is_dropped = true;
        return NULL;
    }
    return watcher;
}

void sq__watch_forget(sq_queue_t *queue) {
    sq__cold_t *cold = sq__load_relaxed(&queue->cold); /* nobody else has the queue */
    if (cold != NULL) {
        sq__watch_thread_lock();
        sq__watch_thread_remove(cold);
        sq__watcher_t *watcher = retire(cold);
        sq__watch_thread_unlock();
        let_go(watcher);
        sq__memory_free(cold);
    }
}

static sq__watcher_t *watcher_create(uint64_t threshold, const sq_watcher_t *given) {
    sq__watcher_t *watcher = sq__memory(sizeof *watcher);
    if (watcher != NULL) {
        *watcher = (sq__watcher_t){ .given = *given, .threshold = threshold, .let_go = let_go };
    }
    return watcher;
}

sq__cold_t *sq__cold_record(sq_queue_t *queue) {
    sq__cold_t *cold = sq__load_relaxed(&queue->cold);
    if (cold == NULL) {
        cold = sq__memory(sizeof *cold);
        if (cold != NULL) {
            memset(cold, 0, sizeof *cold);
            cold->queue = queue;
            sq__store_release(&queue->cold, cold); /* [watch] release: the note as it was made */
        }
    }
    return cold;
}

/* With the queue's lock. On success *old is to be let go of. */
static int replace(sq_queue_t *queue, sq__watcher_t *fresh, sq__watcher_t **old) {
    int error = 0;
    sq__cold_t *cold = sq__cold_record(queue);
    if (cold == NULL) {
        return ENOMEM;
    }
    sq__watch_thread_lock();
    if (fresh == NULL) {
        sq__watch_thread_remove(cold);
    } else {
        error = sq__watch_thread_add(cold, fresh);
    }
    if (error == 0) {
        *old = retire(cold);
        cold->watcher = fresh;
        sq__control(queue, SQ__WATCHED, fresh != NULL ? SQ__WATCHED : 0);
    }
    sq__watch_thread_unlock();
    return error;
}

int sq_queue_watch(sq_queue_t *queue, uint64_t threshold, const sq_watcher_t *given) {
    SQ__CHECK_HANDLE(queue);
    sq__watcher_t *fresh = NULL, *old = NULL;
    if (given != NULL && threshold == 0) {
        return EINVAL;
    }
    if (sq__fork_is_stale(queue)) {
        return ESTALE;
    }
    if (given != NULL && (fresh = watcher_create(threshold, given)) == NULL) {
        return ENOMEM;
    }
    sq__lock(queue);
    int error = fresh != NULL || sq__load_relaxed(&queue->cold) != NULL ? replace(queue, fresh, &old) : 0;
    sq__unlock(queue);
    if (error) {
        sq__memory_free(fresh); /* not let go of: nothing was done, the context is still the caller's */
    }
    let_go(old);
    return error;
}
