#define _GNU_SOURCE 1 /* pthread_getattr_np, gettid */
#include "glibc_only.h"

#include <dirent.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

long stack_size_of_this_thread(void)
{
    pthread_attr_t attributes;
    if (pthread_getattr_np(pthread_self(), &attributes) != 0) {
        return 0;
    }
    size_t size = 0;
    pthread_attr_getstacksize(&attributes, &size);
    pthread_attr_destroy(&attributes);
    return (long)size;
}

unsigned long id_of_this_thread(void) { return (unsigned long)gettid(); }

static bool sleeps(const char *thread)
{
    char path[64], state = '?';
    snprintf(path, sizeof path, "/proc/self/task/%.20s/stat", thread);
    FILE *file = fopen(path, "re");
    if (file == NULL) {
        return true; /* it has ended */
    }
    bool is_known = fscanf(file, "%*d (%*[^)]) %c", &state) == 1;
    fclose(file);
    return is_known && state == 'S';
}

static bool others_sleep(void)
{
    DIR *threads = opendir("/proc/self/task");
    bool all = threads != NULL;
    for (struct dirent *entry; all && (entry = readdir(threads)) != NULL;) {
        all = entry->d_name[0] == '.' || atol(entry->d_name) == (long)gettid() || sleeps(entry->d_name);
    }
    if (threads != NULL) {
        closedir(threads);
    }
    return all;
}

/* A child has a copy of each lock: one that another thread held in Swift's runtime would stay taken there. So the others sleep first, for which
 * they hold none. */
void continue_in_a_forked_child(void)
{
    for (int looks = 0, asleep = 0; asleep < 3 && looks < 60000; looks += 1) {
        asleep = others_sleep() ? asleep + 1 : 0;
        usleep(1000);
    }
    pid_t child = fork();
    if (child == 0) {
        alarm(60); /* the test fails, rather than hangs */
        return;
    }
    int status = 0;
    waitpid(child, &status, 0);
    _exit(WIFEXITED(status) ? WEXITSTATUS(status) : 1);
}
