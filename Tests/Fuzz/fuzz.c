/* fuzz.c: the entry for libFuzzer. SQ_FUZZ_SHOW=1 prints each program before it runs. */
#include "drive.h"

#include "../C/support/threads.h"

#include <stdlib.h>
#include <time.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

/* Its queues are gone: no thread of theirs may be left, or hold memory that a leak checker would see. */
static void wait_for_threads(long before) {
    time_t began = drive_now();
    while (count_threads() > before) {
        if (drive_now() - began > 30) {
            model_fails(-1, "half a minute after the end there are still %ld threads, not %ld", count_threads(), before);
        }
        nanosleep(&(struct timespec){ .tv_nsec = 100000 }, NULL);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    static program_t program;
    static long threads;
    if (threads == 0) {
        threads = count_threads();
    }
    program_read(&program, bytes, size);
    if (getenv("SQ_FUZZ_SHOW") != NULL) {
        program_print(&program);
    }
    drive_run(&program);
    wait_for_threads(threads);
    return 0;
}
