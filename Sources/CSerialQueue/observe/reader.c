#include "observe/reader.h"

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
            .began = oldest->began, .function = oldest->function, .thread_id = oldest->thread_id, .site = sq__frame_site(&oldest->frame)
        };
    }
    sq__locks_release(&locks, queue);
    return running;
}
