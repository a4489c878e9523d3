/* rest.c: where nothing happens by itself any more: waiting for it, and comparing the queues with the model there. */
#include "drive.h"

#include <time.h>

/* A queue with a thread of its own has come to where it does nothing more by itself. */
static bool is_at_rest(int queue) {
    const model_queue_t *model = &model_queues[queue];
    for (int id = 0; id < drive.program->count; id += 1) {
        if (drive.waiting[id] && drive.program->operations[id].queue == queue && model_fates[id] != WAITS) {
            return false; /* it is about to return */
        }
    }
    return model->running >= 0 ? drive_is_held(queue) : model->depth == 0 || !model_can_run(model);
}

static bool matches(const model_queue_t *model, const sq_queue_stats_t *stats) {
    return stats->ran == model->ran && stats->depth == model->depth
        && stats->withdrawn + stats->rejected == model->withdrawn + model->rejected
        && stats->discarded >= model->discarded && stats->discarded <= model->discarded + model->never_due
        && stats->submitted == stats->ran + stats->discarded + stats->withdrawn + stats->depth
        && stats->highest_depth >= stats->depth && stats->highest_depth <= model->highest;
}

/* The last counts of a thread of its own may still be on their way. */
void drive_check_stats(int queue) {
    const model_queue_t *model = &model_queues[queue];
    sq_queue_stats_t stats = SQ_QUEUE_STATS_INIT;
    time_t began = drive_now();
    for (;;) {
        sq_queue_stats(drive.queues[queue], &stats);
        if (matches(model, &stats) && sq_queue_depth(drive.queues[queue]) == model->depth) {
            return;
        }
        if (!drive.program->threaded[queue] || drive_now() - began > 30) {
            break;
        }
        nanosleep(&(struct timespec){ .tv_nsec = 100000 }, NULL);
    }
    model_fails(queue,
                "the queue of this number counts ran %llu discarded %llu withdrawn %llu rejected %llu depth %llu highest %llu "
                "submitted %llu, and it is ran %llu discarded %llu withdrawn %llu rejected %llu depth %zu highest %zu",
                (unsigned long long)stats.ran, (unsigned long long)stats.discarded, (unsigned long long)stats.withdrawn,
                (unsigned long long)stats.rejected, (unsigned long long)stats.depth, (unsigned long long)stats.highest_depth,
                (unsigned long long)stats.submitted, (unsigned long long)model->ran, (unsigned long long)model->discarded,
                (unsigned long long)model->withdrawn, (unsigned long long)model->rejected, model->depth, model->highest);
}

void drive_come_to_rest(void) {
    for (int queue = 0; queue < QUEUES; queue += 1) {
        if (drive.program->threaded[queue] && !drive_is_inside(queue)) {
            drive_lock();
            drive_wait(is_at_rest, queue, "at rest");
            drive_unlock();
        }
    }
    if (drive.program->has_objects) {
        many_wait_for_rest();
    }
}
