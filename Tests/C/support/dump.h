/* dump.h: what a dump says. */
#ifndef DUMP_H
#define DUMP_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE 1 /* memfd_create, memmem */
#endif
#include "harness.h"
#include "serial_queue.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

/* The text that `write` writes; valid until the next one. */
static inline const char *dumped(int (*write)(int file)) {
    static _Thread_local char *text;
    static _Thread_local size_t room;
    int file = memfd_create("dump", MFD_CLOEXEC);
    REQUIRE(file >= 0);
    CHECK_EQUAL(write(file), 0);
    off_t length = lseek(file, 0, SEEK_END);
    if (room != 0) {
        munmap(text, room); /* not from malloc, whose blocks the harness counts */
    }
    room = (size_t)length + 1;
    text = mmap(NULL, room, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    REQUIRE(text != MAP_FAILED);
    REQUIRE(pread(file, text, (size_t)length, 0) == length);
    close(file);
    if (getenv("SQ_SHOW") != NULL) {
        fprintf(stderr, "%s", text);
    }
    return text;
}

/* The text of a dump of now; valid until the next one. */
static inline const char *dump_now(void) { return dumped(sq_dump); }

/* A line of the text has all these words, in this order; up to four, NULL for fewer. */
static inline bool has_line(const char *text, const char *a, const char *b, const char *c) {
    const char *const words[] = { a, b, c };
    for (const char *line = text, *end; (end = strchr(line, '\n')) != NULL; line = end + 1) {
        const char *at = line;
        for (size_t i = 0; at != NULL && i < 3 && words[i] != NULL; i += 1) {
            at = memmem(at, (size_t)(end - at), words[i], strlen(words[i]));
        }
        if (at != NULL) {
            return true;
        }
    }
    return false;
}

#define CHECK_LINE(text, a, b, c)                                      \
    do {                                                               \
        const char *checked_text = (text);                             \
        if (!CHECK(has_line(checked_text, (a), (b), (c)))) {            \
            fprintf(stderr, "no line with %s ... in:\n%s", (a), checked_text); \
        }                                                              \
    } while (0)

/* Dumps until one has such a line: a thread is on its way there. */
static inline const char *dump_until(const char *a, const char *b, const char *c) {
    const char *text;
    while (!has_line(text = dump_now(), a, b, c)) {
        sched_yield();
    }
    return text;
}

#endif
