/* worker_signal_test.c: what the queue's thread inherits from the program: signals, policy, nice value, affinity. */
#include "child.h"
#include "inject.h"
#include "latch.h"
#include "platform/processors.h"
#include "platform/thread.h"
#include "thread/token.h"
#include "thread/worker.h"

#include <sched.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/syscall.h> /* musl has no sched_setscheduler */
#include <unistd.h>

static void read_mask(void *context) { pthread_sigmask(SIG_SETMASK, NULL, context); }

/* The mask of the thread of a queue that is first used by a thread with this mask, which must not change. */
static sigset_t mask_of_thread_started_with(const sigset_t *mine_before) {
    sq_queue_t *queue = sq_queue_create("signals", NULL);
    REQUIRE(queue != NULL);
    sigset_t usual, mine_after, its;
    pthread_sigmask(SIG_SETMASK, mine_before, &usual);
    sigemptyset(&its);
    CHECK_EQUAL(sq_async(queue, read_mask, &its), 0);
    drain(queue);
    pthread_sigmask(SIG_SETMASK, NULL, &mine_after);
    for (int signal = 1; signal < 32; signal += 1) {
        CHECK_EQUAL(sigismember(&mine_after, signal), sigismember(mine_before, signal));
    }
    pthread_sigmask(SIG_SETMASK, &usual, NULL);
    sq_queue_release(queue);
    return its;
}

TEST(the_programs_signals_do_not_reach_the_thread) {
    sigset_t mine;
    sigemptyset(&mine);
    sigaddset(&mine, SIGUSR1);
    const sigset_t its = mask_of_thread_started_with(&mine);
    const int blocked[] = { SIGINT, SIGTERM, SIGHUP, SIGCHLD, SIGUSR1, SIGUSR2, SIGALRM, SIGIO, SIGVTALRM, SIGXCPU };
    for (size_t i = 0; i < sizeof blocked / sizeof blocked[0]; i += 1) {
        CHECK(sigismember(&its, blocked[i]));
    }
}

static const int faults[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT, SIGSYS };
static const int inherited[] = { SIGPIPE, SIGXFSZ, SIGPROF };

/* A task's write to a closed pipe ends the program as it does elsewhere, and profilers see tasks. */
TEST(faults_closed_pipes_and_profilers_reach_the_thread) {
    sigset_t mine;
    sigemptyset(&mine);
    const sigset_t its = mask_of_thread_started_with(&mine);
    for (size_t i = 0; i < sizeof faults / sizeof faults[0]; i += 1) {
        CHECK(!sigismember(&its, faults[i]));
    }
    for (size_t i = 0; i < sizeof inherited / sizeof inherited[0]; i += 1) {
        CHECK(!sigismember(&its, inherited[i]));
    }
}

/* A program that blocks SIGPIPE in its threads, to get EPIPE, is not ended by a task. */
TEST(a_thread_that_blocks_all_signals_starts_threads_with_only_faults_open) {
    sigset_t mine;
    sigfillset(&mine);
    sigset_t accepted, usual;
    pthread_sigmask(SIG_SETMASK, &mine, &usual); /* the system does not block all of them */
    pthread_sigmask(SIG_SETMASK, &usual, &accepted);
    const sigset_t its = mask_of_thread_started_with(&accepted);
    for (size_t i = 0; i < sizeof faults / sizeof faults[0]; i += 1) {
        CHECK(!sigismember(&its, faults[i]));
    }
    for (size_t i = 0; i < sizeof inherited / sizeof inherited[0]; i += 1) {
        CHECK(sigismember(&its, inherited[i]));
    }
}

/* What a shared thread has does not depend on the thread that first needs it. */
typedef struct scheduling {
    int policy, nice;
    cpu_set_t processors;
} scheduling_t;

static void read_scheduling(void *context) {
    scheduling_t *mine = context;
    mine->policy = (int)syscall(SYS_sched_getscheduler, 0);
    mine->nice = getpriority(PRIO_PROCESS, (id_t)gettid());
    CHECK_EQUAL(sched_getaffinity(0, sizeof mine->processors, &mine->processors), 0);
}

static void *be_pinned_and_modest(void *context) {
    cpu_set_t all, one;
    CHECK_EQUAL(sched_getaffinity(0, sizeof all, &all), 0);
    CPU_ZERO(&one);
    for (int i = 0; i < CPU_SETSIZE && CPU_COUNT(&one) == 0; i += 1) {
        if (CPU_ISSET(i, &all)) {
            CPU_SET(i, &one);
        }
    }
    CHECK_EQUAL(sched_setaffinity(0, sizeof one, &one), 0);
    CHECK_EQUAL(sq__processor_count(), *(unsigned *)context);
    if (geteuid() == 0) { /* others cannot get these back */
        CHECK_EQUAL(setpriority(PRIO_PROCESS, (id_t)gettid(), 5), 0);
        CHECK_EQUAL(syscall(SYS_sched_setscheduler, 0, SCHED_IDLE, &(struct sched_param){ 0 }), 0);
    }
    sq_queue_t *queue = sq_queue_create("modest", NULL);
    REQUIRE(queue != NULL);
    scheduling_t its;
    CHECK_EQUAL(sq_async(queue, read_scheduling, &its), 0);
    drain(queue);
    cpu_set_t of_main;
    CHECK_EQUAL(its.policy, syscall(SYS_sched_getscheduler, getpid()));
    CHECK_EQUAL(its.nice, getpriority(PRIO_PROCESS, (id_t)getpid()));
    CHECK_EQUAL(sched_getaffinity(getpid(), sizeof of_main, &of_main), 0);
    CHECK(CPU_EQUAL(&its.processors, &of_main));
    sq_queue_release(queue);
    return NULL;
}

TEST(policy_nice_value_and_affinity_of_the_thread_are_the_main_threads) {
    unsigned processors = sq__processor_count();
    join(spawn(be_pinned_and_modest, &processors));
}
