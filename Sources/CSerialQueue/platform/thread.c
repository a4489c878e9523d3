#ifndef _GNU_SOURCE
#define _GNU_SOURCE 1 /* pthread_setname_np */
#endif
#include "platform/thread.h"

#include "platform/fatal.h"
#include "platform/memory.h"
#include "platform/service.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { NAME_SIZE = sizeof ((sq__thread_start_t *)NULL)->name };

/* Long labels begin alike ("com.example.store"): of a label that does not fit, the last component is used. */
static const char *part_to_show(const char *label) {
    const char *dot = strlen(label) < NAME_SIZE ? NULL : strrchr(label, '.');
    return dot != NULL && dot[1] != '\0' ? dot + 1 : label;
}

/* Cuts between characters: a thread's name stays UTF-8. */
static void copy_name(char *to, const char *label) {
    const char *from = part_to_show(label);
    size_t length = strlen(from);
    if (length >= NAME_SIZE) {
        length = NAME_SIZE - 1;
        while (length > 0 && ((unsigned char)from[length] & 0xC0) == 0x80) {
            length -= 1;
        }
    }
    memcpy(to, from, length);
    to[length] = '\0';
}

/* The library's threads are shared: they get what the main thread has, not what their starter happens to have. What the system
 * refuses stays as inherited: only a privileged thread may raise its priority. */
static void become_like_main_thread(void) {
    pid_t process = getpid();
    struct sched_param parameters;
    cpu_set_t processors;
    int policy = sched_getscheduler(process);
    if (policy != sched_getscheduler(0) && sched_getparam(process, &parameters) == 0) {
        (void)sched_setscheduler(0, policy, &parameters);
    }
    if (sched_getaffinity(process, sizeof processors, &processors) == 0) {
        (void)sched_setaffinity(0, sizeof processors, &processors);
    }
    (void)setpriority(PRIO_PROCESS, (id_t)sq__thread_id(), getpriority(PRIO_PROCESS, (id_t)process));
}

static void *thread_main(void *argument) {
    const sq__thread_start_t *start = argument;
    if (start->name[0] != '\0') {
        /* The thread names itself: when another thread does it, this one may have ended. A failure is harmless. */
        pthread_setname_np(pthread_self(), start->name);
    }
    become_like_main_thread();
    sq__service_apply(start->service);
    start->body(start->argument);
    return NULL;
}

/* The signals that a thread of the library blocks, if its starter blocks `inherited`. */
static sigset_t signals_to_block(const sigset_t *inherited) {
    /* A fault of the thread itself must always reach it. */
    static const int faults[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT, SIGSYS };
    /* A task's own write, and its processor time: as in a thread that the program makes. */
    static const int as_inherited[] = { SIGPIPE, SIGXFSZ, SIGPROF };
    sigset_t blocked;
    sigfillset(&blocked);
    for (size_t i = 0; i < sizeof faults / sizeof faults[0]; i += 1) {
        sigdelset(&blocked, faults[i]);
    }
    for (size_t i = 0; i < sizeof as_inherited / sizeof as_inherited[0]; i += 1) {
        if (!sigismember(inherited, as_inherited[i])) {
            sigdelset(&blocked, as_inherited[i]);
        }
    }
    return blocked;
}

static int create(sq__thread_start_t *start, size_t stack_size) {
    pthread_attr_t attributes;
    int error = pthread_attr_init(&attributes);
    if (error) {
        return error;
    }
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    if (stack_size) {
        error = pthread_attr_setstacksize(&attributes, stack_size);
    }
    if (error == 0) {
        sigset_t blocked, before;
        pthread_sigmask(SIG_SETMASK, NULL, &before);
        blocked = signals_to_block(&before);
        pthread_sigmask(SIG_SETMASK, &blocked, NULL);
        pthread_t thread;
        error = pthread_create(&thread, &attributes, thread_main, start);
        pthread_sigmask(SIG_SETMASK, &before, NULL);
    }
    pthread_attr_destroy(&attributes);
    return error == EAGAIN ? ENOMEM : error; /* EAGAIN means something else to the callers of this library */
}

int sq__thread_start(sq__thread_start_t *start, void (*body)(void *), void *argument, const sq__thread_kind_t *kind) {
    start->body = body;
    start->argument = argument;
    start->service = kind->service;
    copy_name(start->name, kind->name);
    return create(start, kind->stack_size);
}

bool sq__thread_stack_size_is_valid(size_t bytes) {
    return bytes >= (size_t)PTHREAD_STACK_MIN && bytes <= (SIZE_MAX < UINT64_C(1) << 40 ? SIZE_MAX / 4 : (size_t)1 << 40);
}

void sq__thread_yield(void) { sched_yield(); }
void sq__thread_wake_in_time(void) { (void)prctl(PR_SET_TIMERSLACK, 1ul, 0, 0, 0); }

static pthread_once_t exit_once = PTHREAD_ONCE_INIT;
static pthread_key_t exit_key;
static int exit_key_error;

static void call_at_exit(void *exit) { ((sq__exit_t *)exit)->call(exit); }
static void make_exit_key(void) { exit_key_error = pthread_key_create(&exit_key, call_at_exit); }

int sq__thread_at_exit(sq__exit_t *exit) {
    pthread_once(&exit_once, make_exit_key);
    return exit_key_error ? exit_key_error : pthread_setspecific(exit_key, exit);
}

int sq__thread_at_fork(void (*before)(void), void (*in_parent)(void), void (*in_child)(void)) {
    return pthread_atfork(before, in_parent, in_child);
}

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

void sq__thread_name(char *name, size_t size) {
    char whole[NAME_SIZE];
    if (pthread_getname_np(pthread_self(), whole, sizeof whole) != 0) {
        whole[0] = '\0';
    }
    strncpy(name, whole, size - 1);
    name[size - 1] = '\0';
}

uint64_t sq__thread_processor_time(uint64_t id) {
    /* Builds the clock ID that pthread_getcpuclockid would return; that function must not be called for a thread that may have ended. 4: the
     * clock of one thread; 2: the scheduler's exact count. */
    clockid_t clock = (clockid_t)(~(uint32_t)id << 3 | 4 | 2);
    struct timespec used;
    return clock_gettime(clock, &used) == 0 ? (uint64_t)used.tv_sec * 1000000000u + (uint64_t)used.tv_nsec : 0;
}

sq__thread_state_t sq__thread_state(uint64_t id) {
    char path[64], text[512];
    snprintf(path, sizeof path, "/proc/self/task/%" PRIu64 "/stat", id);
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) {
        return SQ__THREAD_UNKNOWN;
    }
    ssize_t length = read(file, text, sizeof text - 1);
    close(file);
    text[length > 0 ? length : 0] = '\0';
    const char *state = strrchr(text, ')'); /* behind the name, which may have parentheses of its own */
    if (state == NULL || state[1] != ' ') {
        return SQ__THREAD_UNKNOWN;
    }
    return state[2] == 'R' ? SQ__THREAD_READY : SQ__THREAD_BLOCKED;
}
