/* queues.c: the queues of a round, from their creation to their end, and the helper. */
#include "storm.h"

#include <stdio.h>

target_t targets[QUEUES];
int target_count;
sq_pool_t *private_pool, *loop, *manual;
sq_queue_t *helper;
atomic_int left_to_helper;

static sq_pool_t *pool_at(place_t place, chance_t *chance) {
    switch (place) {
    case OWN_THREAD: return NULL;
    case SHARED: return below(chance, 4) ? sq_pool_shared() : sq_pool_shared_of(SQ_SERVICE_BACKGROUND);
    case PRIVATE: return private_pool;
    case LOOP: return loop;
    default: return manual;
    }
}

static sq_queue_options_t any_options(place_t place, chance_t *chance) {
    sq_queue_options_t options = SQ_QUEUE_OPTIONS_INIT;
    options.pool = pool_at(place, chance);
    if (place != OWN_THREAD && place != LOOP && below(chance, 2)) {
        options.width = below(chance, 4) ? 2 + (size_t)below(chance, 3) : SQ_WIDTH_POOL;
    }
    options.helps = below(chance, 3) == 0;
    options.priority = (sq_priority_t)((int)below(chance, 3) - 1);
    options.capacity = below(chance, 3) ? 0 : 1 + (size_t)below(chance, 6);
    return options;
}

sq_queue_t *queue_of_any_kind(const char *label, chance_t *chance) {
    sq_queue_options_t options = any_options((place_t)below(chance, LOOP), chance);
    sq_queue_t *queue = sq_queue_create(label, &options);
    MUST(queue != NULL, "a queue cannot be made (errno %d)", errno);
    return queue;
}

/* `onto`: its target, or NULL. */
static void make_target(int number, target_t *onto, chance_t *chance) {
    target_t *target = &targets[number];
    memset(target, 0, sizeof *target);
    target->number = number;
    target->onto = onto;
    target->place = onto != NULL ? onto->place : number < PLACES ? (place_t)number : (place_t)below(chance, PLACES);
    sq_queue_options_t options = any_options(onto == NULL ? target->place : OWN_THREAD, chance);
    options.target = onto != NULL ? onto->queue : NULL;
    target->width = options.width;
    target->capacity = options.capacity;
    char label[32];
    snprintf(label, sizeof label, "queue %d", number);
    target->queue = sq_queue_create(label, &options);
    MUST(target->queue != NULL, "a queue cannot be made (errno %d)", errno);
    target->is_measured = below(chance, 4) == 0;
    MUST(!target->is_measured || sq_queue_histograms_start(target->queue) == 0, "histograms cannot be started");
}

void queues_begin(chance_t *chance) {
    sq_pool_options_t options = SQ_POOL_OPTIONS_INIT;
    options.threads = (size_t)below(chance, 4);
    private_pool = sq_pool_create("private", &options);
    loop = sq_pool_create_loop("loop");
    manual = sq_pool_create_manual("manual");
    helper = sq_queue_create("helper", NULL);
    MUST(private_pool != NULL && loop != NULL && manual != NULL && helper != NULL, "a pool cannot be made (errno %d)", errno);
    int roots = PLACES + (int)below(chance, QUEUES - AIMED - PLACES + 1);
    target_count = takes_part(TARGET) ? roots + (int)below(chance, AIMED + 1) : roots;
    for (int i = 0; i < target_count; i += 1) {
        make_target(i, i < roots ? NULL : &targets[below(chance, (uint64_t)i)], chance);
    }
}

void queues_shut_down(chance_t *chance) {
    for (int i = 0; i < target_count; i += 1) {
        target_t *target = &targets[i];
        bool drains = below(chance, 2);
        target->is_shut = true;
        if (!drains) {
            target->discards = true;
        }
        uint64_t before = book_now();
        int error = sq_shutdown(target->queue, drains ? SQ_SHUTDOWN_DRAIN : SQ_SHUTDOWN_DISCARD, SQ_FOREVER);
        MUST(error == 0, "the last shutdown of queue %d returned %d", i, error);
        book_check_drained(target, before);
    }
}

static void check_at_rest(target_t *target) {
    sq_queue_stats_t stats = SQ_QUEUE_STATS_INIT;
    sq_queue_stats(target->queue, &stats);
    MUST(stats.depth == 0 && stats.submitted == stats.ran + stats.discarded + stats.withdrawn,
         "queue %d: submitted %llu, ran %llu, discarded %llu, withdrawn %llu, depth %llu", target->number,
         (unsigned long long)stats.submitted, (unsigned long long)stats.ran, (unsigned long long)stats.discarded,
         (unsigned long long)stats.withdrawn, (unsigned long long)stats.depth);
    MUST(target->alone == 0 && target->readers == 0 && target->async_readers == 0 && target->late == 0, "a task is left in queue %d",
         target->number);
    if (target->is_measured) {
        sq_histogram_t waiting = SQ_HISTOGRAM_INIT, running = SQ_HISTOGRAM_INIT;
        MUST(sq_queue_histograms(target->queue, &waiting, &running) == 0, "histograms cannot be read");
        /* A firing that was cancelled in the queue counts as withdrawn, but its empty turn was measured. */
        MUST(waiting.count == running.count && running.count <= stats.ran + stats.withdrawn, "queue %d: %llu waited, %llu ran, of %llu",
             target->number, (unsigned long long)waiting.count, (unsigned long long)running.count, (unsigned long long)(stats.ran + stats.withdrawn));
    }
}

/* After their shutdown, and after everything that used them. */
void queues_end(void) {
    for (int i = 0; i < target_count; i += 1) {
        check_at_rest(&targets[i]);
        sq_queue_release(targets[i].queue);
    }
    for (int i = 0; i < target_count; i += 1) {
        wait_until_zero("the watchers of a queue were not discarded", &targets[i].watchers);
    }
    MUST(sq_shutdown(helper, SQ_SHUTDOWN_DRAIN, SQ_FOREVER) == 0, "the shutdown of the helper failed");
    sq_queue_release(helper);
    sq_pool_release(loop);
    sq_pool_release(manual);
    sq_pool_release(private_pool);
}
