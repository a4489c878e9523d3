#include "state/extras.h"

#include "state/lock.h"
#include "observe/reader.h"
#include "observe/call_sites.h"
#include "observe/trace_hooks.h"
#include "platform/clock.h"
#include "platform/memory.h"
#include "platform/thread.h"

#include <string.h>

sq__cold_t *sq__cold_record(sq_queue_t *queue) {
    sq__cold_t *cold = sq__load_relaxed(&queue->cold);
    if (cold == NULL) {
        cold = sq__memory(sizeof *cold);
        if (cold != NULL) {
            memset(cold, 0, sizeof *cold);
            cold->queue = queue;
            sq__store_release(&queue->cold, cold); /* [watch] release: the record as it was made */
        }
    }
    return cold;
}

void sq__traced_begin(sq_queue_t *queue) {
    if (!sq__trace_is_on() || sq__is_traced(queue)) {
        return;
    }
    sq__lock(queue);
    if (sq__cold_record(queue) != NULL) {
        sq__sited_begin(queue);
        sq__control(queue, 0, SQ__TRACED);
    }
    sq__unlock(queue);
}

void sq__sited_want(sq_queue_t *queue, const void *caller) {
    sq__sites_note(queue, sq__site(caller, 0), false);
    sq__traced_begin(queue);
}

void sq__cold_free(sq_queue_t *queue) {
    sq__cold_t *cold = sq__load_relaxed(&queue->cold); /* nobody else has the queue */
    if (cold->forget != NULL) {
        cold->forget(cold);
    }
    sq__memory_free(sq__load_relaxed(&cold->measured));
    sq__memory_free(cold);
}

void sq__cold_wake_watcher(sq_queue_t *queue) {
    sq__cold_t *cold = sq__load_acquire(&queue->cold); /* [watch] acquire: the record as it was made */
    if (sq__load_relaxed(&cold->began) == SQ__WATCH_RESTS) { /* [rest] of the swap that took the queue */
        cold->wake(cold);
    }
}

void sq__cold_task_begins(sq_queue_t *queue, sq_function_t function, sq__site_t site) {
    if (sq__is_concurrent(queue)) {
        sq__reader_begin(queue, function);
        return;
    }
    sq__cold_t *cold = sq__load_acquire(&queue->cold); /* [watch] acquire: the record as it was made */
    if (sq__load_relaxed(&cold->began) == SQ__WATCH_RESTS) { /* [rest] as above */
        cold->wake(cold);
    }
    sq__store_relaxed(&cold->began, 0);
    sq__store_release(&cold->function, function); /* [note] release: none of the old `began` with the new function */
    sq__store_release(&cold->thread_id, sq__thread_id()); /* [note] release: the same */
    sq__store_release(&cold->site, site);                 /* [note] release: the same */
    sq__store_release(&cold->began, sq__clock_now()); /* [note] release: the three above */
}

void sq__cold_task_ends(sq_queue_t *queue) {
    if (sq__is_concurrent(queue)) {
        sq__reader_end(queue);
        return;
    }
    sq__store_relaxed(&sq__load_acquire(&queue->cold)->began, 0); /* [watch] acquire */
}

void sq__cold_task_calls(sq_queue_t *queue, sq_function_t function) {
    if (sq__is_concurrent(queue)) {
        const sq__reader_t *reader = sq__reader_now();
        if (reader != NULL && reader->began != 0) {
            sq__reader_begin(queue, function);
        }
        return;
    }
    sq__cold_t *cold = sq__load_relaxed(&queue->cold); /* made before the task was submitted */
    uint64_t began = sq__load_relaxed(&cold->began);
    if (began != 0 && began != SQ__WATCH_RESTS) { /* ours; else the task is not noted, and its end will not be */
        sq__cold_task_begins(queue, function, sq__load_relaxed(&cold->site));
    }
}
