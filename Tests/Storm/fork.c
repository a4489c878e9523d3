/* fork.c: children of the process in the middle of everything, which use the old objects and make new ones.
 *
 * DESIGN. In the child every old object answers at once, and new ones work. A child that is stuck is ended by its alarm clock, and the
 * parent reports its status. No child under a sanitizer: see "Exceptions" in Documentation/Testing.md. */
#include "storm.h"

#include "harness.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { CHILD_SECONDS = 100 };

static atomic_bool ends;
static pthread_t forker;
static bool has_forker;

/* Not `violated`: the parent reports it. */
static void check(bool condition, const char *what, int value) {
    if (!condition) {
        fprintf(stderr, "in a child: %s: %d\n", what, value);
        _exit(1);
    }
}

static void is_0(int error, const char *what) { check(error == 0, what, error); }
static void is_stale(int error, const char *what) { check(error == ESTALE, what, error); }
static void is_0_or_stale(int error, const char *what) { check(error == 0 || error == ESTALE, what, error); }
static void is_refused(int error, const char *what) { check(error == ESTALE || error == ESHUTDOWN, what, error); }

static void count(void *context) {
    if (context != NULL) {
        *(atomic_int *)context += 1;
    }
}

static void pair(void *first, void *second, bool runs) { (void)first, (void)second, (void)runs; }
static void never_decided(sq_deferred_t *task, int error) { (void)task, check(false, "a deferred task of the child was decided", error); }

static void ask_queue(const target_t *target, chance_t *chance) {
    sq_queue_t *queue = target->queue;
    const sq_task_t task = { count, NULL, NULL };
    static sq_deferred_t deferred;
    atomic_int ran = 0;
    switch (below(chance, 8)) {
    case 0: is_refused(sq_async(queue, count, NULL), "sq_async"); break;
    case 1: is_refused(sq_async_until(queue, SQ_FOREVER, &task), "sq_async_until"); break;
    case 2: {
        int error = sq_sync_until(queue, sq_deadline(MILLISECOND), count, &ran);
        check((error == 0) == (ran == 1) && (error == 0 || error == ESTALE || error == ESHUTDOWN || error == EDEADLK), "sq_sync_until",
              error);
        break;
    }
    case 3: is_stale(sq_shutdown(queue, SQ_SHUTDOWN_DISCARD, SQ_FOREVER), "sq_shutdown"); break;
    case 4:
        is_stale(sq_suspend(queue), "sq_suspend");
        is_stale(sq_resume(queue), "sq_resume");
        break;
    case 5:
        deferred = (sq_deferred_t){ .call = pair, .decided = never_decided };
        is_refused(sq_async_deferred(queue, &deferred), "sq_async_deferred");
        break;
    case 6: {
        sq_queue_stats_t stats = SQ_QUEUE_STATS_INIT;
        is_0(sq_queue_stats(queue, &stats), "sq_queue_stats");
        check(strncmp(sq_queue_label(queue), "queue ", 6) == 0, "sq_queue_label", 0);
        break;
    }
    default: is_0_or_stale(sq_queue_watch(queue, 0, NULL), "sq_queue_watch");
    }
}

static void ask_object(const target_t *target, chance_t *chance) {
    sq_group_t *group = groups[below(chance, GROUPS)];
    sq_semaphore_t *semaphore = semaphores[below(chance, SEMAPHORES)];
    switch (below(chance, 6)) {
    case 0: is_0_or_stale(sq_group_wait(group, sq_deadline(MILLISECOND)), "sq_group_wait"); break;
    case 1: is_0_or_stale(sq_semaphore_wait(semaphore, sq_deadline(MILLISECOND)), "sq_semaphore_wait"); break;
    case 2: is_0_or_stale(sq_semaphore_signal(semaphore), "sq_semaphore_signal"); break;
    case 3: is_refused(sq_group_async(group, target->queue, count, NULL), "sq_group_async"); break;
    case 4: {
        sq_item_t *item = sq_item_create("child", &(sq_task_t){ count, NULL, NULL });
        is_refused(sq_item_submit(item, target->queue), "sq_item_submit");
        sq_item_release(item);
        break;
    }
    default:
        check(sq_pool_run_some(loop, 1, SQ_NOW) == 0 && errno == ESTALE, "sq_pool_run_some", errno);
        is_stale(sq_pool_stop(loop), "sq_pool_stop");
    }
}

/* With a pool of its own kind if it needs one that the child makes. */
static void use_new_objects(chance_t *chance) {
    enum { MEMBERS = 20 };
    sq_queue_options_t options = SQ_QUEUE_OPTIONS_INIT;
    uint64_t kind = below(chance, 5);
    sq_pool_t *own = kind == 3 ? sq_pool_create_manual("child") : kind == 4 ? sq_pool_create("child", NULL) : NULL;
    options.pool = kind == 0 ? NULL : own != NULL ? own : sq_pool_shared();
    options.width = kind == 2 ? 4 : 1;
    sq_queue_t *queue = sq_queue_create("child", &options);
    sq_group_t *group = sq_group_create("child");
    atomic_int ran = 0;
    check(queue != NULL && group != NULL, "objects of its own cannot be made", errno);
    for (int i = 0; i < MEMBERS; i += 1) {
        is_0(sq_group_async(group, queue, count, &ran), "an own sq_group_async");
    }
    sq_timer_t *timer = sq_timer_create(queue, &(sq_task_t){ count, NULL, NULL });
    check(timer != NULL, "an own timer", errno);
    is_0(sq_timer_start(timer, 100 * MICROSECOND, 0, 0), "an own sq_timer_start");
    is_0(sq_group_wait(group, SQ_FOREVER), "an own sq_group_wait");
    check(ran == MEMBERS, "the members of an own group", ran);
    is_0(sq_sync(queue, count, &ran), "an own sq_sync");
    check(ran == MEMBERS + 1, "the tasks before an own sq_sync", ran);
    sq_timer_release(timer);
    is_0(sq_shutdown(queue, SQ_SHUTDOWN_DISCARD, SQ_FOREVER), "an own sq_shutdown");
    sq_queue_release(queue);
    sq_group_release(group);
    sq_pool_release(own);
}

static void trace_own(void) {
    char path[64];
    snprintf(path, sizeof path, "/tmp/storm.child.%ld", (long)getpid());
    is_0(sq_trace_start(path), "an own sq_trace_start");
    sq_queue_t *queue = sq_queue_create("traced", NULL);
    check(queue != NULL && sq_async(queue, count, NULL) == 0 && sq_sync(queue, count, NULL) == 0, "an own traced queue", errno);
    sq_queue_release(queue);
    is_0(sq_trace_stop(), "an own sq_trace_stop");
    unlink(path);
}

static _Noreturn void child(chance_t *chance) {
    signal(SIGALRM, SIG_DFL);
    alarm(CHILD_SECONDS);
    int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
    is_0(sq_dump(nowhere), "sq_dump");
    for (int i = 0; i < 30; i += 1) {
        (below(chance, 2) ? ask_queue : ask_object)(&targets[below(chance, (uint64_t)target_count)], chance);
    }
    use_new_objects(chance);
    if (takes_part(TRACE) && below(chance, 3) == 0) {
        trace_own();
    }
    is_0(sq_dump(nowhere), "the second sq_dump");
    _exit(0);
}

static void *fork_often(void *unused) {
    self_t *me = self();
    while (!ends) {
        nanosleep(&(struct timespec){ .tv_nsec = (long)(below(&me->chance, 4000) * MICROSECOND) }, NULL);
        pid_t process = fork();
        if (process == 0) {
            child(&me->chance);
        }
        int status = 0;
        MUST(process > 0 && waitpid(process, &status, 0) == process, "no process for the storm itself");
        MUST(status == 0, "a child has ended with status 0x%x", (unsigned)status);
        totals.forks += 1;
    }
    return unused;
}

void forks_begin(void) {
    ends = false;
    has_forker = takes_part(FORK) && !SANITIZED;
    if (has_forker) {
        MUST(pthread_create(&forker, NULL, fork_often, NULL) == 0, "no thread for the storm itself");
    }
}

void forks_end(void) {
    ends = true;
    if (has_forker) {
        pthread_join(forker, NULL);
    }
}
