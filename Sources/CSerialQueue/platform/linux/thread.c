#include "platform/thread.h"

#if SQ__LINUX

#include "platform/peek.h"

#include <inttypes.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

void sq__thread_name_self(const char *name) { pthread_setname_np(pthread_self(), name); }

/* By number: musl's functions refuse, because Linux applies them to a thread and POSIX means the process. */
void sq__thread_become_like_main(void) {
    pid_t process = getpid();
    struct sched_param parameters;
    cpu_set_t processors;
    long policy = syscall(SYS_sched_getscheduler, process);
    if (policy != syscall(SYS_sched_getscheduler, 0) && syscall(SYS_sched_getparam, process, &parameters) == 0) {
        (void)syscall(SYS_sched_setscheduler, 0, policy, &parameters);
    }
    if (sched_getaffinity(process, sizeof processors, &processors) == 0) {
        (void)sched_setaffinity(0, sizeof processors, &processors);
    }
    (void)setpriority(PRIO_PROCESS, (id_t)sq__thread_id(), getpriority(PRIO_PROCESS, (id_t)process));
}

void sq__thread_wake_in_time(void) { (void)prctl(PR_SET_TIMERSLACK, 1ul, 0, 0, 0); }

bool sq__thread_owns_stack(const void *address) {
    pthread_attr_t attributes;
    void *lowest = NULL;
    size_t size = 0;
    if (pthread_getattr_np(pthread_self(), &attributes) != 0) {
        return false;
    }
    pthread_attr_getstack(&attributes, &lowest, &size);
    pthread_attr_destroy(&attributes);
    return (uintptr_t)address - (uintptr_t)lowest < size;
}

uint64_t sq__thread_id(void) { return (uint64_t)syscall(SYS_gettid); }

uint64_t sq__thread_processor_time(uint64_t id) {
    /* Builds the clock ID that pthread_getcpuclockid would return; that function must not be called for a thread that may have ended. 4: the
     * clock of one thread; 2: the scheduler's exact count. */
    clockid_t clock = (clockid_t)(~(uint32_t)id << 3 | 4 | 2);
    struct timespec used;
    return clock_gettime(clock, &used) == 0 ? (uint64_t)used.tv_sec * 1000000000u + (uint64_t)used.tv_nsec : 0;
}

/* Reads a file of the thread in /proc; "": it cannot be read. */
static void read_file(uint64_t id, const char *name, char *text, size_t size) {
    char path[64];
    snprintf(path, sizeof path, "/proc/self/task/%" PRIu64 "/%s", id, name);
    (void)sq__read_file(path, text, size);
}

sq__thread_state_t sq__thread_state(uint64_t id) {
    char text[512];
    read_file(id, "stat", text, sizeof text);
    const char *state = strrchr(text, ')'); /* behind the name, which may have parentheses */
    if (state == NULL || state[1] != ' ') {
        return SQ__THREAD_UNKNOWN;
    }
    return state[2] == 'R' ? SQ__THREAD_READY : SQ__THREAD_BLOCKED;
}

const char *sq__thread_sleeps_in(uint64_t id) {
    /* Those that a task is found in again and again. Not every processor has the older ones. */
    static const struct { long number; const char *words; } calls[] = {
        { SYS_futex, "futex: a lock or a condition of the program" }, { SYS_read, "read" }, { SYS_readv, "read" }, { SYS_pread64, "read" },
        { SYS_write, "write" }, { SYS_writev, "write" }, { SYS_pwrite64, "write" }, { SYS_fsync, "fsync" }, { SYS_fdatasync, "fsync" },
        { SYS_recvfrom, "recv" }, { SYS_recvmsg, "recv" }, { SYS_sendto, "send" }, { SYS_sendmsg, "send" }, { SYS_connect, "connect" },
        { SYS_accept, "accept" }, { SYS_accept4, "accept" }, { SYS_ppoll, "poll" }, { SYS_pselect6, "select" }, { SYS_epoll_pwait, "epoll_wait" },
        { SYS_nanosleep, "a sleep" }, { SYS_clock_nanosleep, "a sleep" }, { SYS_wait4, "wait: a child of the program" },
        { SYS_flock, "flock: the lock of a file" }, { SYS_openat, "open" },
#ifdef SYS_poll
        { SYS_poll, "poll" }, { SYS_select, "select" }, { SYS_epoll_wait, "epoll_wait" }, { SYS_pause, "pause" },
#endif
    };
    char text[160], *end;
    read_file(id, "syscall", text, sizeof text);
    long number = strtol(text, &end, 10); /* "running", if it no longer sleeps */
    for (size_t i = 0; end != text && i < sizeof calls / sizeof calls[0]; i += 1) {
        if (calls[i].number == number) {
            return calls[i].words;
        }
    }
    return NULL;
}

#endif
