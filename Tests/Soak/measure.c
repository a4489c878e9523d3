/* measure.c: threads and memory of the process. */
#include "soak.h"

#include "../C/support/threads.h"

#include <malloc.h>
#include <sched.h>
#include <stdio.h>
#include <unistd.h>

/* Sanitizers have an allocator and a shadow of their own. */
bool memory_is_measured(void) {
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
    return false;
#else
    return true;
#endif
}

figures_t measure(void) {
    long pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (file != NULL) {
        if (fscanf(file, "%*d %ld", &pages) != 1) {
            pages = 0;
        }
        fclose(file);
    }
    struct mallinfo2 heap = mallinfo2();
    cpu_set_t mine;
    CPU_ZERO(&mine);
    sched_getaffinity(0, sizeof mine, &mine);
    return (figures_t){ .threads = count_threads(), .heap_kib = (long)((heap.uordblks + heap.hblkhd) / 1024),
                        .rss_kib = pages * (sysconf(_SC_PAGESIZE) / 1024), .processors = CPU_COUNT(&mine) };
}
