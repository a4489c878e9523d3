#include "platform/thread.h"

#include "platform/atomic.h"
#include "platform/program.h"
#include "platform/service.h"
#include "platform/text.h"

#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <string.h>

enum { NAME_SIZE = sizeof ((sq__thread_start_t *)NULL)->name };

/* Long labels begin alike ("com.example.store"): of a label that does not fit, the last component is used. */
static const char *part_to_show(const char *label) {
    const char *dot = strlen(label) < NAME_SIZE ? NULL : strrchr(label, '.');
    return dot != NULL && dot[1] != '\0' ? dot + 1 : label;
}

static void (*when_left)(void); /* set before the first thread starts */

void sq__thread_when_left(void (*report)(void)) { when_left = report; }

void sq__thread_left(void) {
    if (when_left != NULL) {
        when_left();
    }
}

static void left(void *unused) {
    (void)unused;
    sq__thread_left();
}

void sq__thread_take_name(sq__thread_start_t *own, const sq__thread_start_t *start) {
    if (strcmp(own->name, start->name) != 0) {
        memcpy(own->name, start->name, NAME_SIZE);
        sq__thread_name_self(own->name);
    }
}

static void *thread_main(void *argument) {
    const sq__thread_start_t *start = argument;
    sq__thread_name_self(start->name); /* by itself: when another thread does it, this one may have ended */
    sq__thread_become_like_main();
    sq__service_apply(start->service);
    pthread_cleanup_push(left, NULL);
    start->body(start->argument);
    pthread_cleanup_pop(0);
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

/* glibc takes thread-local variables, and its own record of the thread, from the stack: a program may have more of them than a small stack has
 * bytes. Found whenever a size is checked: a thread may be started under locks, which come after that of the dynamic linker. */
static SQ__ATOMIC(size_t) thread_locals;

bool sq__thread_stack_size_is_valid(size_t bytes) {
    enum { RECORD = 16384 };
    sq__store_relaxed(&thread_locals, sq__code_thread_locals() + RECORD);
    return bytes >= (size_t)PTHREAD_STACK_MIN && bytes <= (SIZE_MAX < UINT64_C(1) << 40 ? SIZE_MAX / 4 : (size_t)1 << 40);
}

/* Rounded up. What has too many is more than any system gives. */
static uint32_t kibibytes(size_t bytes) {
    size_t whole = bytes / 1024 + (bytes % 1024 != 0);
    return whole < UINT32_MAX ? (uint32_t)whole : UINT32_MAX;
}

void sq__thread_plan(sq__thread_start_t *start, void (*body)(void *), void *argument, const sq__thread_kind_t *kind) {
    *start = (sq__thread_start_t){ .body = body, .argument = argument, .service = kind->service,
                                   .stack_kib = kibibytes(kind->stack_size) };
    sq__text_copy(start->name, NAME_SIZE, part_to_show(kind->name));
    if (start->name[0] == '\0') {
        sq__thread_name(start->name, NAME_SIZE);
    }
}

int sq__thread_start_planned(sq__thread_start_t *start) {
    pthread_attr_t attributes;
    int error = pthread_attr_init(&attributes);
    if (error) {
        return ENOMEM;
    }
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    if (start->stack_kib > 0) {
        error = pthread_attr_setstacksize(&attributes, (size_t)start->stack_kib * 1024 + sq__load_relaxed(&thread_locals));
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
    return error ? ENOMEM : 0; /* EAGAIN, as the system has it, means something else to the callers of this library */
}

int sq__thread_start(sq__thread_start_t *start, void (*body)(void *), void *argument, const sq__thread_kind_t *kind) {
    sq__thread_plan(start, body, argument, kind);
    return sq__thread_start_planned(start);
}

void sq__thread_yield(void) { sched_yield(); }

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

void sq__thread_name(char *name, size_t size) {
    char whole[NAME_SIZE];
    if (pthread_getname_np(pthread_self(), whole, sizeof whole) != 0) {
        whole[0] = '\0';
    }
    sq__text_copy(name, size, whole);
}
