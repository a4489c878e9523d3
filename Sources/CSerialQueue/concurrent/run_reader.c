/* run_reader.c: a reader on the calling thread, while something observes the queue. */
#include "concurrent/concurrent.h"
#include "observe/observe_inline.h"

void sq__reader_run_observed(sq_queue_t *queue, uint64_t submitted, sq_function_t function, void *context, const void *site, bool begins) {
    sq__reader_t reader = { .frame = { .owner = queue, .function = function, .begins = begins, .is_reader = true } };
    uint32_t control = sq__load_acquire(&queue->control); /* [watch] acquire: the note */
    sq__run_observed(queue, control, &reader.frame, submitted, context, site);
}
