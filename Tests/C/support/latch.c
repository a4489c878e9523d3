#include "latch.h"

#include "harness.h"

#include <sched.h>

void latch_bump(latch_t *latch) {
    pthread_mutex_lock(&latch->mutex);
    latch->value += 1;
    /* Under the mutex: a thread that sees the value may free the latch. */
    pthread_cond_broadcast(&latch->grown);
    pthread_mutex_unlock(&latch->mutex);
}

void latch_wait(latch_t *latch, size_t value) {
    pthread_mutex_lock(&latch->mutex);
    while (latch->value < value) {
        pthread_cond_wait(&latch->grown, &latch->mutex);
    }
    pthread_mutex_unlock(&latch->mutex);
}

size_t latch_value(latch_t *latch) {
    pthread_mutex_lock(&latch->mutex);
    size_t value = latch->value;
    pthread_mutex_unlock(&latch->mutex);
    return value;
}

static void stand(void *context) {
    hold_t *hold = context;
    latch_bump(&hold->entered);
    latch_wait(&hold->leave, 1);
    latch_bump(&hold->left);
}

typedef struct standing {
    hold_t *hold;
    sq_queue_t *queue;
} standing_t;

static void *stand_in_sync(void *argument) {
    standing_t standing = *(standing_t *)argument;
    int error = sq_sync(standing.queue, stand, standing.hold);
    REQUIRE(error == 0);
    return NULL;
}

void hold_async(hold_t *hold, sq_queue_t *queue) {
    *hold = (hold_t)HOLD_INIT;
    int error = sq_async(queue, stand, hold);
    REQUIRE(error == 0);
    latch_wait(&hold->entered, 1);
}

void hold_sync(hold_t *hold, sq_queue_t *queue) {
    *hold = (hold_t)HOLD_INIT;
    standing_t standing = { hold, queue };
    hold->thread = spawn(stand_in_sync, &standing);
    latch_wait(&hold->entered, 1);
}

void hold_end(hold_t *hold) {
    latch_bump(&hold->leave);
    latch_wait(&hold->left, 1);
    if (hold->thread) {
        join(hold->thread);
    }
}

void wait_for_depth(sq_queue_t *queue, size_t depth) {
    while (sq_queue_depth(queue) < depth) {
        sched_yield();
    }
}

void drain(sq_queue_t *queue) {
    int error = sq_sync(queue, do_nothing, NULL);
    CHECK_EQUAL(error, 0);
}

void do_nothing(void *context) { (void)context; }
void add_one(void *context) { *(size_t *)context += 1; }
