/* log.c: see log.h. */
#include "log.h"

#include <time.h>

double microseconds_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e6 + (double)now.tv_nsec * 1e-3;
}

static size_t this_thread(record_t *record) {
    for (size_t i = 0; i < record->thread_count; i++)
        if (pthread_equal(record->threads[i], pthread_self())) return i;
    if (record->thread_count < MOST_THREADS) record->thread_count++;
    record->threads[record->thread_count - 1] = pthread_self();
    return record->thread_count - 1;
}

void record_event(record_t *record, moment_t moment, size_t task) {
    pthread_mutex_lock(&record->mutex);
    double now = microseconds_now();
    if (record->event_count == 0) record->began = now;
    if (record->event_count < sizeof record->events / sizeof record->events[0])
        record->events[record->event_count++] = (event_t){now - record->began, moment, task, this_thread(record)};
    pthread_mutex_unlock(&record->mutex);
}

void record_caller(record_t *record, size_t caller) {
    pthread_mutex_lock(&record->mutex);
    record->threads[caller] = pthread_self();
    pthread_mutex_unlock(&record->mutex);
}
