/* cached.h: the threads that run queues with default options (thread/cache.h), as a test sees them. */
#ifndef CACHED_H
#define CACHED_H

#include "harness.h"
#include "latch.h"
#include "thread/cache.h"

#include <dirent.h>
#include <sched.h>
#include <unistd.h>

/* How many threads of the process have this name. */
static inline unsigned threads_named(const char *name) {
    unsigned count = 0;
    DIR *directory = opendir("/proc/self/task");
    REQUIRE(directory != NULL);
    for (struct dirent *entry; (entry = readdir(directory)) != NULL;) {
        char path[300], text[32] = "";
        snprintf(path, sizeof path, "/proc/self/task/%s/comm", entry->d_name);
        FILE *file = entry->d_name[0] != '.' ? fopen(path, "r") : NULL;
        if (file != NULL) {
            WHATEVER(fgets(text, sizeof text, file));
            fclose(file);
            text[strcspn(text, "\n")] = '\0';
            count += strcmp(text, name) == 0;
        }
    }
    closedir(directory);
    return count;
}

/* Returns when this many threads of the cache wait for a post. */
static inline void await_idle(size_t count) {
    while (sq__cache_count().idle != count) {
        sched_yield();
    }
}

/* Returns when this many threads of the cache have waited for so long that they stay. The others have ended then, or soon will. */
static inline void await_kept(size_t count) {
    while (sq__cache_count().kept != count) {
        sched_yield();
    }
}

/* Returns when the cache has no thread, not even the keeper. There must be no queue that has run a task in the background. */
static inline void end_cached_threads(void) {
    for (sq__cache_counts_t counts = sq__cache_count(); counts.clients + counts.threads + counts.has_keeper > 0; counts = sq__cache_count()) {
        sq__cache_end_idle();
        sched_yield();
    }
}

static inline void bump_latch(void *latch) { latch_bump(latch); }

/* A queue that has run a task. */
static inline sq_queue_t *make_used_queue(const char *label) {
    latch_t ran = LATCH_INIT;
    sq_queue_t *queue = sq_queue_create(label, NULL);
    REQUIRE(queue != NULL);
    CHECK_EQUAL(sq_async(queue, bump_latch, &ran), 0);
    latch_wait(&ran, 1);
    return queue;
}

/* What a task finds out about its thread. */
typedef struct place {
    latch_t ran;
    pid_t thread;
    char name[16];
} place_t;

static inline void look_at_place(void *context) {
    place_t *place = context;
    place->thread = gettid();
    pthread_getname_np(pthread_self(), place->name, sizeof place->name);
    latch_bump(&place->ran);
}

static inline place_t place_of_next_task(sq_queue_t *queue) {
    place_t place = { .ran = LATCH_INIT };
    CHECK_EQUAL(sq_async(queue, look_at_place, &place), 0);
    latch_wait(&place.ran, 1);
    return place;
}

/* The function of a client that is not posted. */
static inline bool never_called(void *unused) {
    (void)unused;
    CHECK(false);
    return false;
}

#endif
