/* threads.h: how many threads the process has, and whether they sleep. */
#ifndef THREADS_H
#define THREADS_H

#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Not the entries of /proc/self/task: where a thread ends while they are read, those after it are left out. 0: not to be known. */
static inline long count_threads(void) {
    char line[256];
    long count = 0;
    FILE *status = fopen("/proc/self/status", "r");
    while (status != NULL && count == 0 && fgets(line, sizeof line, status) != NULL) {
        sscanf(line, "Threads: %ld", &count);
    }
    if (status != NULL) {
        fclose(status);
    }
    return count;
}

/* Whether the system says so of the thread with this id. */
static inline bool thread_sleeps(long id) {
    char path[64], text[256];
    snprintf(path, sizeof path, "/proc/self/task/%ld/stat", id);
    FILE *file = fopen(path, "r");
    if (file == NULL) {
        return false;
    }
    size_t length = fread(text, 1, sizeof text - 1, file);
    fclose(file);
    text[length] = '\0';
    const char *after_name = strrchr(text, ')');
    return after_name != NULL && after_name[2] == 'S';
}

/* All but the calling one. One look may miss a thread, see above. */
static inline bool other_threads_sleep(void) {
    bool sleep = true;
    DIR *tasks = opendir("/proc/self/task");
    for (struct dirent *entry; tasks != NULL && sleep && (entry = readdir(tasks)) != NULL;) {
        long id = strtol(entry->d_name, NULL, 10);
        sleep = id <= 0 || id == gettid() || thread_sleeps(id);
    }
    if (tasks != NULL) {
        closedir(tasks);
    }
    return sleep;
}

#endif
