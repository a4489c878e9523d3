/* self.h: what the library knows about the calling thread.
 *
 * DESIGN. One small thread-local record. Everything in it is created on first use, so a thread that only ever takes free
 * queues has no token. When the thread ends, its token goes back to the list. If one of the program's own thread-exit
 * destructors waits after that, it gets a token for that one wait.
 *
 * The records of all threads that use queues are in a list, for a dump. A thread joins it before its first task or wait. The
 * fast path of a sync pays nothing for that: the record begins with the frame SQ__UNLISTED, at an address below every stack,
 * which sq__is_current takes for a frame that a longjmp has left. The rare path for such frames then lists the thread. */
#pragma once

#include "platform/layout.h"
#include "platform/mutex.h"
#include "platform/thread.h"
#include "thread/owner.h"
#include "thread/token.h"

/* One for each task on this thread's stack, innermost first. It is a local variable of the function that calls the task. */
typedef struct sq__frame {
    const void *owner; /* the queue; NULL: a function that runs with no current queue. Such a frame starts a chain */
    struct sq__frame *parent;
    void (*function)(void *context); /* what it runs; not set if is_batch */
    bool begins; /* the task starts a chain: the tasks further out did not call it. It runs here on behalf of another thread. */
    bool is_reader; /* the frame is part of a sq__reader_t (observe/observe_inline.h) */
    bool is_batch; /* many tasks, one after the other: the frame is part of a sq__batch_frame_t (kernel/kernel_inline.h) */
    bool has_site; /* it is known where the task was submitted */
    bool did_not_run; /* what it runs was cancelled before its turn. Read only if the task is observed (observe/observe.h) */
    const void *site; /* if has_site: the call's return address (trace/sites.c) */
} sq__frame_t;

/* Where the task of this frame was submitted; NULL: not known. */
static inline const void *sq__frame_site(const sq__frame_t *frame) { return frame->has_site ? frame->site : NULL; }

static inline void sq__frame_set_site(sq__frame_t *frame, const void *site) {
    frame->site = site;
    frame->has_site = site != NULL;
}

/* What a thread must end before other threads continue, next to tasks of queues: one for each once whose function it is running, each
 * apply of another thread that it helps, and each item that it performs; innermost first. It is a local variable of the function that
 * does this. */
typedef struct sq__duty {
    const void *what;
    const char *pool; /* of an apply: its pool's label; else NULL */
    const char *item; /* of an item that is performed: its label; else NULL. Neither: it is a once */
    uintptr_t code;   /* of an apply: that of its iterations, for dumps; else 0 */
    struct sq__duty *parent;
} sq__duty_t;

/* Only its own thread uses it; a dump peeks at it (platform/peek.h). L under the lock of the list; F fixed while it is listed. */
typedef struct sq__self {
    sq__frame_t *frame; /* the innermost task, or NULL; SQ__UNLISTED: none, and the thread is not in the list yet */
    sq__duty_t *duty;   /* the innermost once, apply or item that is performed, or NULL */
    sq__token_t *token; /* NULL: none yet */
    struct sq__pool_worker *pool_worker; /* its record in a pool; NULL: not a pool's thread */
    uintptr_t runner;   /* the runner whose thread it is (runner/runner.h), if that is to know of its waits; else 0 */
    struct sq__explored *explored; /* its record in a test that is being explored (explored.h), or NULL */
    char *report;       /* about the last deadlock; NULL: none yet */
    sq__owner_t *owner; /* NULL: it has run no loop */
    sq__exit_t *recorder; /* its buffer for a trace; called when the thread ends; NULL: none */
    const struct sq__wait *wait; /* what it sleeps for, or NULL */
    struct sq_await_entry **awaits; /* it is in the function of an await: the first of those that it calls next; else NULL, and in the child of a fork */
    uint64_t thread_id;    /* F  see sq__self_thread_id; 0: not known yet */
    struct sq__self *next; /* L */
    struct sq__self **link; /* L  what points to it; NULL: it is not in the list */
    sq__exit_t exit;
    uint32_t number; /* T  see sq__self_number; 0: none yet */
    uint32_t detours; /* T  how many times it has posted to another shard of a pool than its own (pool/shards.c) */
    bool ended; /* the exit handler has run: from now on nothing is kept in this record */
} sq__self_t;

#define SQ__UNLISTED ((sq__frame_t *)1)

extern SQ__THREAD_LOCAL sq__self_t sq__self_record;

/* The calling thread's record. Its frame may be SQ__UNLISTED, except while the thread runs a task or waits. */
static inline sq__self_t *sq__self(void) { return SQ__MINE(sq__self_record); }

/* The same, after listing the thread: its frame is a task's, or NULL. */
void sq__self_enlist(void);
static inline sq__self_t *sq__self_listed(void) {
    if (__builtin_expect(sq__self()->frame == SQ__UNLISTED, 0)) {
        sq__self_enlist();
    }
    return sq__self();
}

/* A small number, never 0: the process's threads get 1, 2, 3, ... in the order of their first calls. */
uint32_t sq__self_number_new(void);
static inline uint32_t sq__self_number(void) {
    uint32_t number = sq__self()->number;
    return __builtin_expect(number != 0, 1) ? number : sq__self_number_new();
}

/* The system's number of the thread. Only the first call in a process is a system call. */
static inline uint64_t sq__self_thread_id(void) {
    sq__self_t *self = sq__self();
    if (__builtin_expect(self->thread_id == 0, 0)) {
        self->thread_id = sq__thread_id();
    }
    return self->thread_id;
}

/* Visits the listed threads, for a dump: calls `visit` with a copy of each record, until it returns false. When its
 * patience with the lock ends, it continues without it. Returns whether it had the lock. */
bool sq__self_visit(sq__patience_t *patience, bool (*visit)(void *context, const sq__self_t *at, const sq__self_t *copy), void *context);

/* The list of threads, and their records. */
extern const sq__layout_t sq__self_layout[];

/* Returns the calling thread's token for one wait, or NULL without memory. Call sq__self_wait_over after the wait. */
sq__token_t *sq__self_token(void);
void sq__self_wait_over(sq__token_t *token);

/* Other threads may wait for this one: it runs a task or the function of a once, or owns a loop. */
static inline bool sq__self_may_be_needed(const sq__self_t *self) {
    return self->frame != NULL || self->duty != NULL || self->owner != NULL;
}

/* Returns the thread's record as the owner of loops; NULL: no memory, or the thread is ending. */
sq__owner_t *sq__self_owner(void);

/* Makes this the thread's recorder. False: the thread is ending, or there is no memory. */
bool sq__self_record_with(sq__exit_t *recorder);

/* Returns a buffer for a report, kept until the thread ends; NULL without memory, or when the thread is ending. The first call of a thread decides
 * its size. */
char *sq__self_report(size_t bytes);
