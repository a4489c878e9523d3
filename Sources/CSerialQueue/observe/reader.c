#include "observe/reader.h"

#include "gate/gate_inline.h"
#include "platform/clock.h"
#include "platform/list.h"
#include "thread/locks.h"
#include "thread/process.h"
#include "thread/self.h"

static sq__locks_t locks = SQ__LOCKS_INIT;

SQ__AROUND_FORK(SQ__RANK_READERS, .locks = &locks)

/* In the child of a fork the records in the list are on stacks of the parent's threads, which threads of the child get: nothing is written there. The
 * parent's queues are not watched there, so nobody reads the list. */

void sq__reader_begin(sq_queue_t *queue, sq_function_t function) {
    if (sq__queue_is_stale(queue)) {
        return;
    }
    sq__concurrent_t *concurrent = sq__concurrent_of(queue);
    sq__reader_t *reader = sq__reader_now();
    sq__locks_take(&locks, queue);
    reader->function = function;
    if (reader->began == 0) {
        reader->began = sq__clock_now();
        reader->thread_id = sq__self_thread_id();
        SQ__LIST_APPEND(concurrent->newest, reader);
    }
    sq__locks_release(&locks, queue);
}

void sq__reader_end(sq_queue_t *queue) {
    if (sq__queue_is_stale(queue)) {
        return;
    }
    sq__concurrent_t *concurrent = sq__concurrent_of(queue);
    sq__reader_t *reader = sq__reader_now();
    sq__locks_take(&locks, queue);
    SQ__LIST_REMOVE_FROM(concurrent->newest, reader);
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
