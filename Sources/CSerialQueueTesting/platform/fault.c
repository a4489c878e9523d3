#include "platform/fault.h"

#include "platform/atomic.h"
#include "platform/file.h"
#include "platform/mutex.h"

#include <errno.h>
#include <signal.h>
#include <unistd.h>

typedef void (*function_t)(const char *name);

/* A signal, and what the program does with it. `before` is written while our handler is not installed. */
static struct fault {
    int number;
    const char *name;
    struct sigaction before;
} faults[] = {
    { .number = SIGILL, .name = "SIGILL" },   { .number = SIGTRAP, .name = "SIGTRAP" }, { .number = SIGABRT, .name = "SIGABRT" },
    { .number = SIGSEGV, .name = "SIGSEGV" }, { .number = SIGBUS, .name = "SIGBUS" },   { .number = SIGFPE, .name = "SIGFPE" },
};

enum { FAULTS = sizeof faults / sizeof faults[0] };

static sq__mutex_t lock = SQ__MUTEX_INIT;
static unsigned watching; /* with the lock */
static SQ__ATOMIC(function_t) called;

/* s390x continues behind an instruction that failed, so it would not fail again. */
#if defined(__s390x__)
enum { REPEATS = 0 };
#else
enum { REPEATS = 1 };
#endif

static struct fault *fault_of(int number) {
    struct fault *fault = faults;
    while (fault->number != number) {
        fault += 1;
    }
    return fault;
}

/* Does what would have happened without us. */
static void pass_on(const struct fault *fault, siginfo_t *info, void *context) {
    const struct sigaction *before = &fault->before;
    if (before->sa_flags & SA_SIGINFO) {
        before->sa_sigaction(fault->number, info, context);
    } else if (before->sa_handler != SIG_DFL && before->sa_handler != SIG_IGN) {
        before->sa_handler(fault->number);
    } else if (before->sa_handler == SIG_DFL || info->si_code > 0) {
        (void)sigaction(fault->number, before, NULL); /* the instruction that failed is executed again, and fails again */
        if (!REPEATS || info->si_code <= 0) {
            (void)raise(fault->number); /* it was sent: again, when this handler returns */
        }
    }
}

static void handle(int number, siginfo_t *info, void *context) {
    int error = errno;
    const struct fault *fault = fault_of(number);
    sq__load_relaxed(&called)(fault->name);
    pass_on(fault, info, context);
    errno = error;
}

static bool is_ours(const struct sigaction *action) { return action->sa_flags & SA_SIGINFO && action->sa_sigaction == handle; }

static void install(struct fault *fault) {
    struct sigaction present;
    if (sigaction(fault->number, NULL, &present) != 0 || is_ours(&present)) {
        return;
    }
    fault->before = present;
    struct sigaction ours = { .sa_flags = SA_SIGINFO | SA_ONSTACK | (present.sa_flags & (SA_NODEFER | SA_RESTART)),
                              .sa_mask = present.sa_mask };
    ours.sa_sigaction = handle;
    (void)sigaction(fault->number, &ours, NULL);
}

static void remove_ours(const struct fault *fault) {
    struct sigaction present;
    if (sigaction(fault->number, NULL, &present) == 0 && is_ours(&present)) {
        (void)sigaction(fault->number, &fault->before, NULL);
    }
}

/* Not forever: in the child of a fork the lock may be that of a thread of the parent. */
static bool take_lock(void) { return sq__mutex_lock_patiently(&lock, &(sq__patience_t){ .tries = 400 }); }

bool sq__fault_watch(void (*function)(const char *name)) {
    if (!take_lock()) {
        return false;
    }
    sq__store_relaxed(&called, function);
    watching += 1;
    for (int i = 0; i < FAULTS && watching == 1; i += 1) {
        install(&faults[i]);
    }
    sq__mutex_unlock(&lock);
    return true;
}

void sq__fault_unwatch(void) {
    if (!take_lock()) {
        return;
    }
    watching -= 1;
    for (int i = 0; i < FAULTS && watching == 0; i += 1) {
        remove_ours(&faults[i]);
    }
    sq__mutex_unlock(&lock);
}

/* An error has nowhere else to go. */
void sq__fault_write(const char *text, size_t length) { (void)sq__file_write(STDERR_FILENO, text, length); }
