/* trace.h: what the tests of traces share: a path, what a file has in it, work to be traced. */
#ifndef TEST_TRACE_H
#define TEST_TRACE_H

#include "caller.h"

#include <fcntl.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static char path[64];

static inline const char *new_path(const char *options) {
    static char text[128];
    snprintf(path, sizeof path, "/tmp/sq-trace-test-%d", (int)getpid());
    snprintf(text, sizeof text, "%s%s", path, options);
    return text;
}

static inline off_t size_of(const char *file) {
    struct stat found;
    return stat(file, &found) == 0 ? found.st_size : -1;
}

/* How often the file has these bytes. */
static inline size_t times_in(const char *file, const char *bytes) {
    size_t length = strlen(bytes), size = (size_t)size_of(file), found = 0;
    char *content = malloc(size + 1);
    int opened = open(file, O_RDONLY);
    REQUIRE(opened >= 0 && content != NULL && read(opened, content, size) == (ssize_t)size);
    for (size_t at = 0; at + length <= size; at += 1) {
        found += memcmp(content + at, bytes, length) == 0;
    }
    close(opened);
    free(content);
    return found;
}

static inline bool has(const char *file, const char *bytes) { return times_in(file, bytes) > 0; }

/* Stderr goes nowhere until silence_end: the messages are expected. */
static inline int silence_begin(void) {
    int kept = dup(STDERR_FILENO);
    int nowhere = open("/dev/null", O_WRONLY);
    dup2(nowhere, STDERR_FILENO);
    close(nowhere);
    return kept;
}

static inline void silence_end(int kept) {
    dup2(kept, STDERR_FILENO);
    close(kept);
}

static inline void use_queues(const char *label) {
    sq_queue_t *queue = make_queue_of(label, 0);
    for (size_t i = 0; i < 100; i += 1) {
        CHECK_EQUAL(sq_async(queue, do_nothing, NULL), 0);
        CHECK_EQUAL(sq_sync(queue, do_nothing, NULL), 0);
    }
    drain(queue);
    CHECK_EQUAL(sq_shutdown(queue, SQ_SHUTDOWN_DRAIN, SQ_FOREVER), 0);
    sq_queue_release(queue);
}

/* Until the reader has written a file with this label. */
static inline void wait_for_file(const char *file, const char *label) {
    while (size_of(file) <= 0 || !has(file, label)) {
        sched_yield();
    }
}

#endif
