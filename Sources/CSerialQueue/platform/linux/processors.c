/* processors.c: how many processors this process may use.
 *
 * DESIGN. The smaller one of two: those that its main thread may be scheduled on, and its control group's quota, which is time per period. A
 * group's limit holds for the groups within it as well, so all groups up to the root are read. */
#include "platform/processors.h"

#if SQ__LINUX

#include "platform/peek.h"

#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { PATH_SIZE = 512 };

static unsigned schedulable(void) {
    cpu_set_t mine;
    if (sched_getaffinity(getpid(), sizeof mine, &mine) == 0) { /* the main thread's set: the calling thread may be pinned */
        int count = CPU_COUNT(&mine);
        return count > 0 ? (unsigned)count : 1;
    }
    long online = sysconf(_SC_NPROCESSORS_ONLN); /* more than 1024 processors: the set above is too small */
    return online > 0 ? (unsigned)online : 1;
}

/* cpu.max of a group is "QUOTA PERIOD", in microseconds, or "max PERIOD". Returns `limit` or less. */
static unsigned limited_by(const char *group, unsigned limit) {
    char path[PATH_SIZE + 64], text[64];
    unsigned long long quota, period;
    snprintf(path, sizeof path, "%s/cpu.max", group);
    if (sq__read_file(path, text, sizeof text) == 0 || sscanf(text, "%llu %llu", &quota, &period) != 2 || period == 0) {
        return limit;
    }
    unsigned long long whole = (quota + period - 1) / period;
    return whole < 1 ? 1 : whole < limit ? (unsigned)whole : limit;
}

unsigned sq__processors_within(const char *root, const char *group, unsigned limit) {
    char path[PATH_SIZE];
    size_t length = (size_t)snprintf(path, sizeof path, "%s%s", root, group);
    if (length >= sizeof path) {
        return limit;
    }
    while (length >= strlen(root)) { /* the root begins with a slash, so strrchr always finds one */
        limit = limited_by(path, limit);
        length = (size_t)(strrchr(path, '/') - path);
        path[length] = '\0';
    }
    return limit;
}

/* This process's line of the second version of control groups is "0::PATH". */
unsigned sq__processor_count(void) {
    char text[PATH_SIZE];
    unsigned count = schedulable();
    /* A first thread that has ended is in no group any more. Linux before 3.17 has no other name. */
    if (sq__read_file("/proc/thread-self/cgroup", text, sizeof text) > 0 || sq__read_file("/proc/self/cgroup", text, sizeof text) > 0) {
        char *line = strncmp(text, "0::", 3) == 0 ? text : strstr(text, "\n0::");
        if (line != NULL) {
            char *group = strchr(line, '/');
            if (group != NULL) {
                group[strcspn(group, "\n")] = '\0';
                count = sq__processors_within("/sys/fs/cgroup", group, count);
            }
        }
    }
    return count;
}

#endif
