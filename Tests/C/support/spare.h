/* spare.h: spare threads (thread/spare.h), by the names that they have while they are listed. */
#ifndef SPARE_H
#define SPARE_H

#include "harness.h"
#include "latch.h"

#include <dirent.h>
#include <sched.h>

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

/* Returns when there are so many spare threads. A queue's own thread becomes one half a second after its last task. */
static inline void await_spares(unsigned count) {
    while (threads_named("sq-spare") != count) {
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

#endif
