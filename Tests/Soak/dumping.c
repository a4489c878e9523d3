/* dumping.c: a thread that dumps all the time, while the others act. Each dump must be whole; a round in which none ends is a hang. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE 1 /* memfd_create */
#endif
#include "soak.h"

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static atomic_uint_fast64_t dumps;
static uint64_t checked;
static bool dumps_at_all;

static void check_text(int file) {
    char end[128] = "", begin[32] = "";
    off_t size = lseek(file, 0, SEEK_END), at = size > (off_t)sizeof end - 1 ? size - (off_t)sizeof end + 1 : 0;
    MUST(pread(file, begin, sizeof begin - 1, 0) > 0 && pread(file, end, sizeof end - 1, at) > 0, "a dump cannot be read");
    MUST(strncmp(begin, "SERIALQUEUE DUMP", 16) == 0, "a dump begins with \"%s\"", begin);
    MUST(strstr(end, "END OF THE DUMP") != NULL, "a dump ends with \"%s\"", end);
}

static void *dump(void *unused) {
    int file = memfd_create("dump", MFD_CLOEXEC);
    MUST(file >= 0, "no memory file for the soak itself");
    for (;;) {
        MUST(ftruncate(file, 0) == 0 && lseek(file, 0, SEEK_SET) == 0, "the memory file cannot be emptied");
        int error = sq_dump(file);
        MUST(error == 0, "a dump returned %d", error);
        check_text(file);
        dumps += 1;
    }
    return unused;
}

void dumping_begin(void) {
    pthread_t thread;
    dumps_at_all = true;
    MUST(pthread_create(&thread, NULL, dump, NULL) == 0, "no thread for the soak itself");
    pthread_detach(thread);
}

uint64_t dumping_check(void) {
    uint64_t now = dumps;
    MUST(!dumps_at_all || now > checked, "no dump has ended in this round; before it %llu had", (unsigned long long)checked);
    checked = now;
    return now;
}
