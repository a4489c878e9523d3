/* notes.c: what happens in a cell, and waiting for it. */
#include "cells.h"
#include <pthread.h>
#include <stdarg.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char words[64][160];
static int count;
static const char *name;

void begin_cell(const char *cell) {
    pthread_mutex_lock(&lock);
    name = cell;
    count = 0;
    pthread_mutex_unlock(&lock);
}

void end_cell(void) {
    pthread_mutex_lock(&lock);
    printf("%s:", name);
    for (int i = 0; i < count; i += 1) {
        printf(" %s", words[i]);
    }
    printf("%s\n", count == 0 ? " nothing" : "");
    name = "over";
    count = 0;
    pthread_mutex_unlock(&lock);
}

void note(const char *format, ...) {
    pthread_mutex_lock(&lock);
    if (count < 64) {
        va_list arguments;
        va_start(arguments, format);
        vsnprintf(words[count++], sizeof words[0], format, arguments);
        va_end(arguments);
    }
    pthread_mutex_unlock(&lock);
}

static int compare(const void *a, const void *b) {
    return strcmp(a, b);
}

void sort_notes(void) {
    pthread_mutex_lock(&lock);
    qsort(words, (size_t)count, sizeof words[0], compare);
    pthread_mutex_unlock(&lock);
}

void note_word(void *word) {
    note("%s", (const char *)word);
}

dispatch_time_t in_milliseconds(int milliseconds) {
    return dispatch_time(DISPATCH_TIME_NOW, (int64_t)milliseconds * 1000000);
}

static void hangs(void) {
    fprintf(stderr, "%s hangs\n", name);
    abort();
}

void must(dispatch_semaphore_t semaphore) {
    if (dispatch_semaphore_wait(semaphore, in_milliseconds(30000)) != 0) {
        hangs();
    }
}

void must_all(dispatch_group_t group) {
    if (dispatch_group_wait(group, in_milliseconds(30000)) != 0) {
        hangs();
    }
}

void signal_it(void *semaphore) {
    dispatch_semaphore_signal(semaphore);
}

void wait_for_it(void *semaphore) {
    must(semaphore);
}

static void nothing(void *unused) {
    (void)unused;
}

void drain(dispatch_queue_t queue) {
    dispatch_barrier_sync_f(queue, NULL, nothing);
}
