/* task_hook.c: jobs of Swift's runtime.
 *
 * DESIGN
 *   The runtime has hooks: variables that point to a function which it calls instead of its own. They are weak here, so that a
 *   program links with a runtime that has none.
 *
 *   A task that prefers an executor comes back to it after each await: from an actor, a yield, a child task. Unstructured tasks
 *   prefer none, and hop from one free actor to the next without asking anyone. So such a task gets a preference when it begins:
 *   its first function is replaced by one that pushes the preference, as withTaskExecutorPreference does, and continues with the
 *   task's own; when that returns, the preference is popped. Only a task that has not begun is changed: a preference is memory on
 *   the task's stack. That a task has not begun is seen by its first function, of which the runtime has two.
 */
#define _GNU_SOURCE /* pthread_getname_np */
#include "sq_task_hook.h"

#include <sq_explore_private.h>
#include <sq_private.h>

#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define SWIFT_CALL __attribute__((swiftcall))
#define SWIFT_ASYNC_CALL __attribute__((swiftasynccall))
#define ASYNC_CONTEXT __attribute__((swift_async_context))
#define SWIFT_CONTEXT __attribute__((swift_context))
#define WEAK __attribute__((weak))

/* The memory of a call of an async function: of the first one, what the task's function returns to. */
typedef struct async_context async_context_t;
typedef SWIFT_ASYNC_CALL void (*resume_t)(ASYNC_CONTEXT async_context_t *context);
typedef SWIFT_ASYNC_CALL void (*complete_t)(ASYNC_CONTEXT async_context_t *context, SWIFT_CONTEXT void *error);
struct async_context {
    async_context_t *parent;
    complete_t complete;
};

/* The part of a job that the runtime's ABI fixes (include/swift/ABI/Task.h). */
typedef struct job {
    void *object[2];
    void *scheduler[2];
    uint32_t flags; /* the lowest byte is the kind */
    uint32_t id;
    void *reserved[2];
    resume_t resume;
    void *more; /* of the process job of an actor: the actor */
} job_t;

enum { KIND_TASK = 0, KIND_ACTOR = 193 };

/* Part of the runtime's interface; the hooks and the two first functions are not there in every version. */
typedef SWIFT_CALL void (*enqueue_t)(void *job);
extern SWIFT_CALL void (*swift_task_enqueueGlobal_hook)(void *job, enqueue_t original) WEAK;
extern const void *const _swift_concurrency_debug_future_adapter WEAK;
extern const void *const _swift_concurrency_debug_non_future_adapter WEAK;

extern const uint32_t _swift_concurrency_debug_internal_layout_version WEAK;
extern const size_t _swift_concurrency_debug_asyncTaskSize WEAK;

SWIFT_CALL void swift_task_enqueueGlobal(void *job);
SWIFT_CALL void swift_job_run_on_task_executor(void *job, sq_task_executor_t executor);
SWIFT_CALL uint64_t swift_task_getJobTaskId(void *job);
SWIFT_CALL void *swift_task_getCurrent(void);
SWIFT_CALL sq_task_executor_t swift_task_getMainExecutor(void);
SWIFT_CALL sq_task_executor_t swift_task_getCurrentExecutor(void);
SWIFT_CALL sq_task_executor_t swift_task_getPreferredTaskExecutor(void);
SWIFT_CALL void *swift_task_pushTaskExecutorPreference(sq_task_executor_t executor);
SWIFT_CALL void swift_task_popTaskExecutorPreference(void *record);
SWIFT_CALL void swift_task_cancel(void *task);
void *swift_retain(void *object);
void swift_release(void *object);
SWIFT_CALL void *swift_task_alloc(size_t size);
SWIFT_CALL void swift_task_dealloc(void *memory);

static _Atomic(sq_task_take_t) asked; /* other threads may be in the hook as soon as it is set */
static _Thread_local _Bool passes_on;

/* What this thread has found out about the layout of jobs. */
static _Thread_local enum { NOT_ASKED, ASKED, KNOWN, UNKNOWN } layout;

/* Whether a new task is laid out as job_t. */
static _Bool is_new_task(const void *job) {
    return sq_task_has_not_begun(job) && ((const job_t *)job)->id == (uint32_t)swift_task_getJobTaskId((void *)job);
}

static SWIFT_CALL void hook_global(void *job, enqueue_t original) {
    if (layout == ASKED) {
        layout = is_new_task(job) ? KNOWN : UNKNOWN;
        original(job);
        return;
    }
    if (passes_on || !atomic_load_explicit(&asked, memory_order_acquire)(job)) {
        original(job);
    }
}

_Bool sq_task_hook_install(sq_task_take_t take, void (*begin_task)(void)) {
    if (&swift_task_enqueueGlobal_hook == NULL) {
        return 0;
    }
    atomic_store_explicit(&asked, take, memory_order_release);
    __atomic_store_n(&swift_task_enqueueGlobal_hook, hook_global, __ATOMIC_RELEASE);
    layout = ASKED;
    begin_task();
    if (layout == KNOWN) {
        return 1;
    }
    __atomic_store_n(&swift_task_enqueueGlobal_hook, NULL, __ATOMIC_RELEASE);
    return 0;
}

void sq_task_pass_on(void *job) {
    passes_on = 1;
    swift_task_enqueueGlobal(job);
    passes_on = 0;
}

void sq_task_pass_on_all(_Bool passes) { passes_on = passes; }

/* A preference that was given to a task, in the task's own memory. */
typedef struct given {
    struct given *next;
    void *task;
    void *record;        /* the runtime's */
    void *executor;      /* with a reference, which the runtime's record has not */
    complete_t complete; /* what the task's function returns to */
} given_t;

/* By the task's address. */
enum { BUCKETS = 256 };
static given_t *buckets[BUCKETS];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static given_t **bucket(const void *task) { return &buckets[((uintptr_t)task >> 6) % BUCKETS]; }

static void keep(given_t *given) {
    pthread_mutex_lock(&lock);
    given_t **head = bucket(given->task);
    given->next = *head;
    *head = given;
    pthread_mutex_unlock(&lock);
}

static given_t *take_out(const void *task) {
    pthread_mutex_lock(&lock);
    given_t **link = bucket(task);
    while ((*link)->task != task) {
        link = &(*link)->next;
    }
    given_t *given = *link;
    *link = given->next;
    pthread_mutex_unlock(&lock);
    return given;
}

/* What the function of a task with such a preference returns to. The task's memory is a stack: what was put there last goes first. */
static SWIFT_ASYNC_CALL void take_back(ASYNC_CONTEXT async_context_t *context, SWIFT_CONTEXT void *error) {
    given_t *given = take_out(swift_task_getCurrent());
    complete_t complete = given->complete;
    swift_task_popTaskExecutorPreference(given->record);
    swift_release(given->executor);
    swift_task_dealloc(given);
    __attribute__((musttail)) return complete(context, error);
}

/* What `prefer` needs, from sq_task_run on the same thread, just before. */
static _Thread_local resume_t first;
static _Thread_local sq_task_executor_t preferred;

static SWIFT_ASYNC_CALL void prefer(ASYNC_CONTEXT async_context_t *context) {
    resume_t resume = first;
    if (swift_task_getPreferredTaskExecutor().object == NULL) {
        given_t *given = swift_task_alloc(sizeof *given);
        given->task = swift_task_getCurrent();
        given->complete = context->complete;
        given->executor = swift_retain(preferred.object);
        given->record = swift_task_pushTaskExecutorPreference(preferred);
        context->complete = take_back;
        keep(given);
    }
    __attribute__((musttail)) return resume(context);
}

_Bool sq_task_has_not_begun(const void *job_pointer) {
    const job_t *job = job_pointer;
    const void *resume = (const void *)job->resume;
    return (job->flags & 0xff) == KIND_TASK
        && ((&_swift_concurrency_debug_future_adapter != NULL && resume == _swift_concurrency_debug_future_adapter)
            || (&_swift_concurrency_debug_non_future_adapter != NULL && resume == _swift_concurrency_debug_non_future_adapter));
}

void sq_task_run(void *job_pointer, sq_task_executor_t executor) {
    job_t *job = job_pointer;
    if (sq_task_has_not_begun(job)) {
        first = job->resume;
        preferred = executor;
        job->resume = prefer;
    }
    swift_job_run_on_task_executor(job, executor);
}

sq_task_kind_t sq_task_kind(void *job) {
    unsigned kind = ((const job_t *)job)->flags & 0xff;
    return kind == KIND_TASK ? SQ_TASK_KIND_TASK
         : kind == KIND_ACTOR ? SQ_TASK_KIND_ACTOR : SQ_TASK_KIND_OTHER;
}

uint64_t sq_task_id(void *job) { return job != NULL && sq_task_kind(job) == SQ_TASK_KIND_TASK ? swift_task_getJobTaskId(job) : 0; }

uintptr_t sq_task_resume(const void *job) { return (uintptr_t)((const job_t *)job)->resume; }

void *sq_task_current(void) { return swift_task_getCurrent(); }

void *sq_task_actor(void *job) { return ((const job_t *)job)->more; }

void sq_task_cancel(void *task) { swift_task_cancel(task); }

_Bool sq_task_is_part_of_parent(void *task) { return (((const job_t *)task)->flags & 1u << 28) != 0; }

/* The runtime writes down what a task waits for, for debuggers. The layout is its own, so only the one that is known is read. */
typedef struct dependency {
    uintptr_t flags;
    void *parent;
    void *other;
    void *more;
    uint32_t kind;
} dependency_t;

enum { KNOWN_LAYOUT = 1, KNOWN_SIZE = 208, STATUS = 0x60, DEPENDENCY = 0xa0, HAS_DEPENDENCY = 0x4000 };
enum { ON_TASK = 1, ON_CONTINUATION = 2, ON_GROUP = 3 };

sq_task_wait_t sq_task_wait(void *task, void **other) {
    if (&_swift_concurrency_debug_internal_layout_version == NULL || &_swift_concurrency_debug_asyncTaskSize == NULL
        || _swift_concurrency_debug_internal_layout_version != KNOWN_LAYOUT || _swift_concurrency_debug_asyncTaskSize != KNOWN_SIZE
        || sizeof(void *) != 8) {
        return SQ_TASK_WAIT_UNKNOWN;
    }
    uint32_t status;
    dependency_t *dependency;
    memcpy(&status, (char *)task + STATUS, sizeof status);
    memcpy(&dependency, (char *)task + DEPENDENCY, sizeof dependency);
    if ((status & HAS_DEPENDENCY) == 0 || dependency == NULL) {
        return SQ_TASK_WAIT_UNKNOWN;
    }
    *other = dependency->other;
    return dependency->kind == ON_TASK ? SQ_TASK_WAIT_TASK
         : dependency->kind == ON_CONTINUATION ? SQ_TASK_WAIT_CONTINUATION
         : dependency->kind == ON_GROUP ? SQ_TASK_WAIT_GROUP : SQ_TASK_WAIT_UNKNOWN;
}

sq_explore_options_t sq_task_explore_options(void) {
    sq_explore_options_t options = SQ_EXPLORE_OPTIONS_INIT;
    return options;
}

sq_queue_options_t sq_task_queue_options(void) {
    sq_queue_options_t options = SQ_QUEUE_OPTIONS_INIT;
    return options;
}

sq_explored_t sq_task_explored(void) {
    sq_explored_t explored = SQ_EXPLORED_INIT;
    return explored;
}

static _Thread_local _Bool home;

void sq_task_set_home(_Bool is_home) { home = is_home; }

_Bool sq_task_is_home(void) { return home || sq_is_exploring(); }

_Bool sq_task_is_on_main_actor(void) { return swift_task_getCurrentExecutor().object == swift_task_getMainExecutor().object; }

void sq_task_thread_name(char *name, size_t size) {
    if (pthread_getname_np(pthread_self(), name, size) != 0) {
        name[0] = '\0';
    }
}

intptr_t sq_task_event(void) { return (intptr_t)sq__explore_event(); }

_Bool sq_task_is_endless(const sq_exploration_t *exploration) { return sq__explore_is_endless(exploration); }

uint64_t sq_task_pool_time(sq_pool_t *pool) { return sq__alarms_now(sq__pool_clock(pool)); }

_Bool sq_task_pool_step(sq_pool_t *pool, _Bool moves_clock) { return sq__pool_step(pool, moves_clock); }

void sq_task_say(const char *line) { fprintf(stderr, "%s\n", line); }

void sq_task_pause(void) {
    const struct timespec millisecond = {.tv_nsec = 1000000};
    nanosleep(&millisecond, NULL);
}
