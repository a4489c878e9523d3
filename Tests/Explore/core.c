/* core.c: the static data of the core: put back before each run, or exchanged with the running thread.
 *
 * DESIGN. The build links the core into one object and renames its data sections to core_data and core_bss; thread-local data
 * is in core_own. The linker provides their bounds. So nothing static in the core can be forgotten here. In a build that counts
 * branches, the counters are in core_counts: they are kept from run to run, and are not part of the core's data. */
#include "explore.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern char __start_core_data[] __attribute__((weak)), __stop_core_data[] __attribute__((weak));
extern char __start_core_bss[] __attribute__((weak)), __stop_core_bss[] __attribute__((weak));
extern char __start_core_counts[] __attribute__((weak)), __stop_core_counts[] __attribute__((weak));
extern char __start_core_own[], __stop_core_own[];
void ex_system_reset(void);

static char *kept_data, *kept_bss, *kept_own;
char ex_own[EX_THREADS][EX_OWN] __attribute__((aligned(64)));

static void reset(char **kept, char *start, char *stop) {
    size_t bytes = (size_t)(stop - start);
    if (bytes == 0) {
        return;
    }
    if (*kept == NULL) {
        *kept = malloc(bytes);
        memcpy(*kept, start, bytes);
    }
    memcpy(start, *kept, bytes);
}

void ex_core_reset(void) {
    reset(&kept_data, __start_core_data, __stop_core_data);
    reset(&kept_bss, __start_core_bss, __stop_core_bss);
    reset(&kept_own, __start_core_own, __stop_core_own);
    memset(__start_core_own, 0, (size_t)(__stop_core_own - __start_core_own));
    ex_system_reset();
    ex_events_reset();
    ex_lines_reset();
}

void ex_core_exchange_own(char *leaving, const char *coming) {
    size_t bytes = (size_t)(__stop_core_own - __start_core_own);
    if (bytes > EX_OWN) {
        fprintf(stderr, "%zu bytes are local to a thread: raise EX_OWN (explore.h)\n", bytes);
        abort();
    }
    memcpy(leaving, __start_core_own, bytes);
    memcpy(__start_core_own, coming, bytes);
}

/* All zero, a record of a thread says that it is in the list already. Then no thread joins it, which makes the schedules shorter. */
void ex_core_begin_own(int thread) {
    size_t bytes = (size_t)(__stop_core_own - __start_core_own);
    memset(ex_own[thread], 0, EX_OWN);
    if (ex_setting.lists_threads) {
        memcpy(ex_own[thread], kept_own, bytes);
    }
}

void *ex_mine(const void *object) { return ex_own[ex_current] + ((const char *)object - __start_core_own); }

bool ex_core_ignores(const void *address) {
    const char *at = address;
    if (at == (const char *)&errno) { /* each thread has its own, only not here */
        return true;
    }
    return (at >= __start_core_own && at < __stop_core_own) || (at >= __start_core_counts && at < __stop_core_counts);
}
