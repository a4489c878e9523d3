/* threads.h: what scheduler.c, next.c and points.c know of the threads of a run. */
#ifndef THREADS_H
#define THREADS_H

#include "explore.h"

typedef enum { READY, BLOCKED, DONE } standing_t;

typedef struct thread {
    standing_t standing;
    void *stack_pointer;
    void *point; /* below this the explorer's own calls begin, which differ with how schedules are chosen */
    bool has_returned; /* from its function: nothing on its stack is used by others any more */
    void (*body)(void *);
    void *argument;
    const void *on;         /* what it blocks on */
    const uint32_t *until;  /* it can run when this is 0; NULL: when it is woken */
    const uint64_t *word;   /* or when this is no longer the value that it was */
    uint64_t unchanged, except; /* in other bits than these */
    uint64_t deadline;      /* or at this time */
    bool may_wake_spuriously, expired;
    void (*at_exit)(void *);
    void *exit_argument;
    uint64_t left_at; /* the step at which another thread continued */
    uint32_t lives;   /* 0: it has ended, */
    uint32_t works;   /* 0: or has nothing more to do than to end */
    uint32_t is_cold; /* it has no token yet */
    uint32_t is_held; /* its starter starts others */
    int starter;
    bool is_starting; /* it waits for one that gets warm */
    bool is_daemon;   /* of the core */
    bool was_early;   /* a deadline of it has passed before it had to */
    bool may_be_nudged; /* its wait: it runs tasks meanwhile */
    bool awaits_rest; /* it can run when no other one can */
    char own[EX_OWN]; /* what is local to it, while another one runs */
} thread_t;

extern thread_t ex_thread[EX_THREADS];

/* scheduler.c */
void ex_enter(int thread);
_Noreturn void ex_leave_run(void);

/* next.c */
void ex_next_reset(void);
void ex_next(void); /* chooses the thread that continues, and enters it */
void ex_await_others(void); /* until no other thread can run; what follows is after what they did, except for what is visible */

/* points.c */
void ex_points_reset(void);
void ex_warm_up(void); /* in a reduced search, of a thread that begins */
void ex_await_warm(int thread); /* of the one that has started it */

#endif
