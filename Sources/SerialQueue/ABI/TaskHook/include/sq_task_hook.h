/* sq_task_hook.h: the hook of Swift's runtime that passes on the jobs of a program, and how a job is run.
 *
 * A job is a task that can continue, or a plain actor that has something to do. */
#ifndef SQ_TASK_HOOK_H
#define SQ_TASK_HOOK_H

#include <errno.h>
#include <serial_queue.h>
#include <sq_explore.h>

/* Asked about each job that is enqueued on the global executor, on any thread. True: the job now belongs to the function. */
typedef _Bool (*sq_task_take_t)(void *_Nonnull job);

/* What sq_async_job returns if the queue was shut down. */
static const int SQ_TASK_ESHUTDOWN = ESHUTDOWN;

/* An executor, as the runtime passes it: an object and its conformance. */
typedef struct sq_task_executor {
    void *_Nullable object;
    const void *_Nullable conformance;
} sq_task_executor_t;

/* Installs the hook, once. `begin_task` begins a detached task, whose job shows whether this runtime lays out jobs as task_hook.c expects. False:
 * it does not, or has no hook. */
_Bool sq_task_hook_install(sq_task_take_t _Nonnull take, void (*_Nonnull begin_task)(void));

/* Enqueues a job on the global executor, past the hook. */
void sq_task_pass_on(void *_Nonnull job);

/* Makes the jobs that the calling thread enqueues go past the hook, or no longer. */
void sq_task_pass_on_all(_Bool passes);

/* Runs a job on this thread. An unstructured task that begins with it prefers this executor from then on, so that all its later
 * jobs come there; it keeps a reference to the executor. */
void sq_task_run(void *_Nonnull job, sq_task_executor_t executor);

/* What a job is. */
typedef enum sq_task_kind {
    SQ_TASK_KIND_TASK,
    SQ_TASK_KIND_ACTOR, /* all that waits for a plain actor */
    SQ_TASK_KIND_OTHER  /* such as the rest of Task.yield: it resumes a task */
} sq_task_kind_t;

sq_task_kind_t sq_task_kind(void *_Nonnull job);

/* A number that no other task of the process has; 0: the job is not a task. */
uint64_t sq_task_id(void *_Nullable job);

/* The task that runs on this thread; NULL: none. */
void *_Nullable sq_task_current(void);

/* The object of the actor that a job of this kind is for. */
void *_Nonnull sq_task_actor(void *_Nonnull job);

/* What a suspended task waits for. */
typedef enum sq_task_wait {
    SQ_TASK_WAIT_UNKNOWN,     /* it does not wait, or this runtime is not known */
    SQ_TASK_WAIT_TASK,        /* *other is the task */
    SQ_TASK_WAIT_CONTINUATION,
    SQ_TASK_WAIT_GROUP        /* its child tasks */
} sq_task_wait_t;

/* The task must exist, and must not run. */
sq_task_wait_t sq_task_wait(void *_Nonnull task, void *_Nullable *_Nonnull other);

/* Whether a task's memory is its parent's (async let). Any other can be retained. */
_Bool sq_task_is_part_of_parent(void *_Nonnull task);

/* Cancels a task, which must exist. */
void sq_task_cancel(void *_Nonnull task);

/* Initialiser macros, which Swift does not import. */
sq_queue_options_t sq_task_queue_options(void);
sq_explore_options_t sq_task_explore_options(void);
sq_explored_t sq_task_explored(void);

/* Makes the calling thread one whose jobs are controlled, or no longer. */
void sq_task_set_home(_Bool is_home);

/* Whether it is one, or a thread of a test that is explored. */
_Bool sq_task_is_home(void);

/* Whether the calling thread runs the main actor. */
_Bool sq_task_is_on_main_actor(void);

/* The name of the calling thread. */
void sq_task_thread_name(char *_Nonnull name, size_t size);

/* Whether a job is the first one of a task. */
_Bool sq_task_has_not_begun(const void *_Nonnull job);

/* The address of the function that a job continues in. */
uintptr_t sq_task_resume(const void *_Nonnull job);

/* The function of the program that a task continues in, in a run that is recorded: "Account.deposit"; "begins" for a new task; "" if it
 * is unknown. */
void sq_task_function(void *_Nonnull job, char *_Nonnull name, size_t size);

/* The number of the running task in the record of the run; negative: the run is not recorded. */
intptr_t sq_task_event(void);

/* Whether the run under way has had too many steps. */
_Bool sq_task_is_endless(const sq_exploration_t *_Nonnull exploration);

/* The time of a manual pool's clock. */
uint64_t sq_task_pool_time(sq_pool_t *_Nonnull pool);

/* Runs a batch of closures of what is ready on a manual pool that is not explored; if nothing is, fires a timer that is due, or the next one if
 * `moves_clock`. False: there is nothing to do. */
_Bool sq_task_pool_step(sq_pool_t *_Nonnull pool, _Bool moves_clock);

/* Writes a line to stderr. */
void sq_task_say(const char *_Nonnull line);

/* Sleeps for a millisecond of real time. */
void sq_task_pause(void);

#endif
