#include "kernel/reader.h"

#include "kernel/sited.h"
#include "kernel/traced.h"
#include "platform/clock.h"
#include "platform/thread.h"
#include "thread/locks.h"
#include "thread/process.h"

static sq__locks_t locks = SQ__LOCKS_INIT;

static void take_all(void) { sq__locks_take_all(&locks); }

static void release_all(bool in_child) {
    (void)in_child;
    sq__locks_release_all(&locks);
}

static __attribute__((constructor)) void around_fork(void) {
    sq__process_around_fork(SQ__RANK_READERS, take_all, release_all);
}

void sq__reader_begin(sq_queue_t *queue, sq_function_t function) {
    sq__concurrent_t *concurrent = sq__concurrent_of(queue);
    sq__reader_t *reader = sq__reader_now();
    sq__locks_take(&locks, queue);
    reader->function = function;
    if (reader->began == 0) {
        reader->began = sq__clock_now();
        reader->thread_id = sq__thread_id();
        reader->next = NULL;
        reader->link = concurrent->newest;
        *concurrent->newest = reader;
        concurrent->newest = &reader->next;
    }
    sq__locks_release(&locks, queue);
}

void sq__reader_end(sq_queue_t *queue) {
    sq__concurrent_t *concurrent = sq__concurrent_of(queue);
    sq__reader_t *reader = sq__reader_now();
    sq__locks_take(&locks, queue);
    *reader->link = reader->next;
    if (reader->next != NULL) {
        reader->next->link = reader->link;
    } else {
        concurrent->newest = reader->link;
    }
    reader->began = 0;
    sq__locks_release(&locks, queue);
}

sq__running_t sq__reader_oldest(const sq_queue_t *queue) {
    sq__running_t running = { .began = 0 };
    sq__locks_take(&locks, queue);
    const sq__reader_t *oldest = sq__concurrent_of(queue)->oldest;
    if (oldest != NULL) {
        running = (sq__running_t){
            .began = oldest->began, .function = oldest->function, .thread_id = oldest->thread_id, .site = sq__reader_site_of(&oldest->frame)
        };
    }
    sq__locks_release(&locks, queue);
    return running;
}

void sq__reader_run_noted(sq_queue_t *queue, uint64_t submitted, sq_function_t function, void *context, sq__site_t site, bool begins) {
    SQ__NOBODY_UNWINDS_THROUGH;
    sq__self_t *self = sq__self();
    sq__session_t session = 0;
    uint32_t noted = sq__load_relaxed(&queue->control) & SQ__NOTED;
    sq__reader_t reader = {
        .frame = { .owner = queue, .parent = self->frame, .function = function, .begins = begins, .is_reader = true }
    };
    if (noted & SQ__SITED) {
        reader.site = sq__sited_call(queue, site);
        reader.frame.has_site = reader.site != 0;
    }
    self->frame = &reader.frame;
    if (noted & SQ__TRACED) {
        session = sq__traced_start(queue, SQ__WAITER | SQ__EVENT_CALLS, reader.site, function, context, false);
    }
    if (noted & SQ__WATCHED) {
        sq__reader_begin(queue, function);
    }
    uint64_t began = noted & SQ__MEASURED ? sq__measured_begin(queue, submitted) : 0;
    function(context);
    sq__measured_end(queue, began);
    if (noted & SQ__WATCHED) {
        sq__reader_end(queue);
    }
    sq__trace_close(session, SQ__EVENT_END, 0, 0);
    self->frame = reader.frame.parent;
}

void *sq__queue_memory(sq_queue_t *queue) {
    return sq__is_concurrent(queue) ? (void *)sq__concurrent_of(queue) : queue;
}
