/* run_state.h: one run of a test: which of its threads continues, and what that thread does.
 *
 * DESIGN. The threads of a run are the one that called the test, and helpers. One of them has control; all others sleep. The thread
 * in control runs a task, or chooses what comes next (a way, ways.h):
 *
 *     a task waits        its thread chooses. If it chooses a task of a ready queue, a helper runs that task, because the thread's
 *                         own stack is in use. If it chooses a thread that can stop waiting, that thread gets control
 *     a task ends         its thread chooses, and runs the next task itself
 *     a pump              (sq_pool_run, sq_pool_advance or a step) chooses like a thread whose task has ended, until there is
 *                         nothing to do. While the pump sleeps, a helper that has nothing to do returns control to it
 *
 * A pump runs tasks itself, so threads need not change. But if such a task waits, the pump cannot return before that wait has
 * ended. So in a test whose tasks wait, helpers run all tasks (uses_helpers). They always run those of a pump that is in a task: that
 * task may be about to end the wait.
 *
 * All threads are real ones: thread-local variables, the deadlock search, sanitizers and debuggers see them as in production.
 *
 * Control passes from thread to thread by the grant of a token. So a thread in control sees what the others wrote, and the fields
 * below need no lock. Only fields with a P may be changed by threads that do not belong to the run, under the pool's lock. */
#pragma once

#include "explore/choose.h"
#include "explore/functions.h"
#include "explore/record.h"
#include "include/sq_types.h"
#include "kernel/kernel_inline.h"
#include "runner/hosted.h"
#include "runner/runner.h"
#include "thread/explored.h"
#include "thread/worker.h"
#include "wait/wait.h"

typedef struct sq__run sq__run_t;

/* What a task calls, to be named. */
typedef struct sq__called {
    sq_function_t function; /* NULL: unknown */
    const void *context;    /* of a task, or the first of two; NULL once it runs */
    const char *label;      /* of a work item; NULL: none, or it runs */
    const char *what;       /* what the library calls, in words, if the function says nothing; NULL: not the library */
} sq__called_t;

/* A thread of the run. */
typedef struct sq__runner_thread {
    sq__explored_t explored; /* the first field */
    sq__run_t *run;
    sq__token_t *token;      /* on which it sleeps while another one has control */
    sq__wait_id_t wait_id;
    sq__worker_t *worker;    /* a helper's; NULL: the thread that runs the test */
    sq__frame_t frame;       /* its outermost frame */
    struct sq__runner_thread *next; /* of the helpers */
    struct sq__runner_thread *next_idle;

    /* While it runs a task. */
    const sq_queue_t *queue; /* NULL: none */
    sq__called_t called;
    char name[80];           /* the label from sq_explore_label or of a work item, if the run is recorded; else "" */
    size_t event;            /* of its start */
    unsigned column;

    /* While it waits or is interrupted. */
    const sq__wait_t *wait;  /* NULL: it was interrupted */
    uint64_t deadline;
    struct sq__runner_thread *next_waiting;
} sq__thread_t;

/* A thread in sq_pool_run, sq_pool_advance or a step; on its stack. */
typedef struct sq__pump {
    sq__thread_t *thread;
    uint64_t until;     /* it does not move the clock beyond this time */
    bool is_single;     /* it takes one step */
    bool is_last;       /* the test has returned: it runs what is left */
    bool uses_helpers;  /* helpers run all tasks. Set by sq__pump_run */
    bool is_asleep;     /* another thread has control, and returns it later */
    struct sq__pump *next;
} sq__pump_t;

struct sq__run {
    const char *name;        /* the test's */
    const char *found;       /* the message of an earlier run that failed, and its decisions; NULL: none has */
    const sq__tape_t *found_tape;
    sq_pool_t *pool;
    sq__chooser_t chooser;
    sq__record_t record;
    sq__functions_t functions;
    char closure[128];       /* the name that sq__name_called returned last, if it is a closure's */
    sq__thread_t test;       /* the thread that runs the test */
    sq__thread_t *helpers, *idle;
    sq__thread_t *waiting;   /* in the order in which they began to wait */
    sq__pump_t *pumps;       /* the innermost first */
    sq__way_t command;       /* what the next thread in control does first */
    bool has_command;
    bool is_ending;          /* the test has returned, so it cannot end any wait */
    bool uses_helpers;       /* for every task. Fixed for the run */
    bool has_waited;         /* a task has waited, in this run or an earlier one */
    size_t ran;              /* how many tasks have run */
    uint64_t steps, most_steps;
    char *failure;           /* the message of the first failure */
    bool has_failed;         /* set even if there was no memory for the message */
    bool is_endless;         /* it had too many steps */
    unsigned outside;        /* P  how often something from outside took part */
    char outside_note[160];  /* P  what it was, the first time */
    size_t posted[SQ__LEVELS]; /* P  entries, since the last choice */
    const sq__ready_t *put_back; /* P  the entry of the last step, if it has more to do */
    sq__way_t *ways;         /* room for the ways of one choice */
    size_t way_room;
};

/* The name of a helper. A thread that the test starts there has it, too: a new thread has the name of the one that started it. */
#define SQ__EXPLORE_THREAD "sq-explore"

/* The calling thread's record; NULL: it does not belong to a run. */
sq__thread_t *sq__run_thread(void);

static inline sq__hosted_t *sq__run_hosted(const sq__run_t *run) { return (sq__hosted_t *)run->pool; }

/* After a tenth of its steps a run is fair (ways.h). */
static inline bool sq__run_is_fair(const sq__run_t *run) { return run->steps > run->most_steps / 10; }

/* Fails the run, unless it has failed already. */
void sq__run_fail(sq__run_t *run, const char *message);

/* Something from outside took part. With the pool's lock. */
void sq__run_outside(sq__run_t *run, const char *format, ...) __attribute__((format(printf, 2, 3)));
