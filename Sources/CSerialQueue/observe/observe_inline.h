/* observe_inline.h: what a queue asks before it observes anything, and the records of what is observed. */
#pragma once

#include "gate/gate_inline.h"
#include "include/sq_histogram.h"
#include "observe/observe.h"
#include "platform/clock.h"
#include "platform/probe.h"
#include "state/state_inline.h"
#include "thread/self.h"

static inline bool sq__is_sited(const sq_queue_t *queue) {
    return __builtin_expect(sq__load_relaxed(&queue->control) & SQ__SITED, 0);
}

/* Records a rare event, on a queue that may not have the flag yet. Takes the queue's lock, if a trace is under way. */
static inline void sq__trace_hook_seldom(sq_queue_t *queue, sq__entry_kind_t kind, unsigned detail, uint64_t which) {
    if (sq__trace_is_on()) {
        sq__trace_hook_begin(queue);
        sq__trace_hook_event(queue, kind, detail, 0, which);
    }
}

static inline bool sq__is_traced(const sq_queue_t *queue) {
    return __builtin_expect(sq__load_relaxed(&queue->control) & SQ__TRACED, 0);
}

/* Histograms: timings.c */

/* In place of a time of submission: the task did not wait. 0: not known. */
#define SQ__DID_NOT_WAIT UINT64_MAX

/* Durations, and depths: how many tasks wait when one begins. */
typedef enum sq__measure { SQ__WAITING, SQ__RUNNING, SQ__DEPTH, SQ__MEASURES } sq__measure_t;

enum { SQ__DURATION_BUCKETS = 108, SQ__DEPTH_BUCKETS = 21, SQ__MEASURE_BUCKETS = 2 * SQ__DURATION_BUCKETS + SQ__DEPTH_BUCKETS };

/* Fields: A atomic, O the holder's, C the holder's, but in a concurrent queue A. */
typedef struct sq__timings {
    SQ__ATOMIC(uint64_t) since;                       /* A  when the measuring began last */
    SQ__ATOMIC(uint64_t) handoff;                     /* O  when the task in the hand-off slot was submitted */
    SQ__ATOMIC(uint64_t) sums[SQ__MEASURES];          /* C */
    SQ__ATOMIC(uint64_t) longest[SQ__MEASURES];       /* C  or the deepest */
    SQ__ATOMIC(uint32_t) counts[SQ__MEASURE_BUCKETS]; /* C  the lower 32 bits, one measure's behind the other's */
    uint32_t place; /* in the list of its label, from 1 on, under the lock of measured.c; 0: in none yet */
} sq__timings_t;

_Static_assert(sizeof(sq__timings_t) < 1024, "histograms take less than 1 KiB a queue");

/* The sum of what several queues have counted, in their buckets. */
typedef struct sq__totals {
    uint64_t sums[SQ__MEASURES], longest[SQ__MEASURES], counts[SQ__MEASURE_BUCKETS];
} sq__totals_t;

/* Adds what the queue has counted. It was measured once. */
void sq__timings_add(const sq_queue_t *queue, sq__totals_t *totals);

/* Makes this measure a histogram. */
void sq__timings_fill(sq_histogram_t *histogram, const sq__totals_t *totals, sq__measure_t which);

/* measured.c: the queue is measured from now on; no effect if it was before. No lock is held. Returns 0 or ENOMEM. */
int sq__measured_add(sq_queue_t *queue, sq__timings_t *measured);

/* The queue is about to be freed, and no lock is held: its label keeps what was counted. */
void sq__measured_forget(const sq_queue_t *queue);

/* Adds what all queues of the label have counted to these, which are 0. Returns how many queues there are. */
size_t sq__measured_sum(const char *label, sq__totals_t *totals);

/* In which bucket of sq_histogram_t a value is counted: below 16 its own value; above, by its highest bit and the four bits after it. */
static inline unsigned sq__timings_bucket(uint64_t value) {
    if (value < 16) {
        return (unsigned)value;
    }
    unsigned highest = 63 - (unsigned)__builtin_clzll(value);
    return (highest - 3) * 16 + ((unsigned)(value >> (highest - 4)) & 15);
}

/* Now, if the queue is measured; else 0. */
static inline uint64_t sq__timings_now(const sq_queue_t *queue) {
    return __builtin_expect(sq__load_relaxed(&queue->control) & SQ__MEASURED, 0) ? sq__clock_now() : 0;
}

/* Watching: watch_notes.c */

typedef void (*sq__watch_made_t)(sq_queue_t *queue);

/* In `began`: the queue is idle, and the watching thread must be woken when it gets busy. No clock reaches this value. */
#define SQ__WATCH_RESTS UINT64_MAX

/* The first part of a watched queue's record. N written by the baton's holder. */
typedef struct sq__watch_note {
    SQ__ATOMIC(uint64_t) began;         /* N  when the running task began; 0: none runs; SQ__WATCH_RESTS: none, and the watching thread set it */
    SQ__ATOMIC(sq_function_t) function; /* N */
    SQ__ATOMIC(uint64_t) thread_id;     /* N */
    SQ__ATOMIC(const void *) site;        /* N  where it was submitted; NULL: not known */
    void (*wake)(struct sq__watch_note *);   /* I  sq__watch_wake (inspect/watch_thread.h): called by the holder that finds SQ__WATCH_RESTS */
    void (*forget)(struct sq__watch_note *); /* I  forget (inspect/watch.c): called before the record is freed */
} sq__watch_note_t;

/* Called with each new queue, which is complete; NULL: nothing is. Else it is `watch` of inspect/watch_all.c. */
extern SQ__ATOMIC(sq__watch_made_t) sq__watch_made;
static inline void sq__watch_new(sq_queue_t *queue) {
    sq__watch_made_t made = sq__load_relaxed(&sq__watch_made); /* what it needs is under a lock */
    if (__builtin_expect(made != NULL, 0) && queue != NULL) {
        made(queue);
    }
}

/* O. Called when a task may wait in the queue from now on, though none has begun: the queue may have been idle until now. */
void sq__watch_wake_thread(sq_queue_t *queue);
static inline void sq__watch_gets_busy(sq_queue_t *queue) {
    if (__builtin_expect(sq__load_acquire(&queue->control) & SQ__WATCHED, 0)) { /* [watch] acquire: the record */
        sq__watch_wake_thread(queue);
    }
}

/* O. The task that has begun calls this function of the user's. sq__watch_noted_task_calls: only of a watched queue; sq__watch_task_calls: no effect
 * if it is not watched. */
void sq__watch_noted_task_calls(sq_queue_t *queue, sq_function_t function);
static inline void sq__watch_task_calls(sq_queue_t *queue, sq_function_t function) {
    if (__builtin_expect(sq__load_acquire(&queue->control) & SQ__WATCHED, 0)) { /* [watch] acquire: the record */
        sq__watch_noted_task_calls(queue, function);
    }
}

/* The running tasks of a concurrent queue: reader.h */

/* T, and fixed while the thread sleeps; R as in gate/gate_inline.h. */
typedef struct sq__reader {
    sq__frame_t frame;        /* T  first */
    const sq__token_t *caller; /* T  of the thread that waits for it in run_and_wait, or NULL */
    const void *subject;      /* T  the group that it is a member of; of a pair the first word, which may be an item; else NULL */
    sq_pair_function_t call;  /* T  of a pair the function, which tells whether that is an item; else NULL */
    bool has_baton;           /* T  a barrier, or a discard function or a `decided`: nothing else of the queue begins before it ends */
    sq_function_t function;   /* R */
    uint64_t began;           /* R  0: not in the list */
    uint64_t thread_id;       /* R */
    struct sq__reader *next;  /* R */
    struct sq__reader **link; /* R */
} sq__reader_t;

/* The record that this frame is part of; NULL: it is of no concurrent queue's task. */
static inline sq__reader_t *sq__reader_of(const sq__frame_t *frame) {
    return frame->is_reader ? (sq__reader_t *)(uintptr_t)frame : NULL;
}

/* The same for the innermost task of the calling thread. */
static inline sq__reader_t *sq__reader_now(void) { return sq__reader_of(sq__self()->frame); }

/* Points for bpftrace, perf and other tools: platform/probe.h says how they work, Documentation/Probes.md how they are used. The first argument is
 * the queue; the second is the offset of its label in bytes. That is a constant, but the label's address would cost an instruction. */

#define SQ__LABEL_AT offsetof(struct sq_queue, label)

/* The task is about to be put into the queue, which has accepted it. */
static inline __attribute__((always_inline)) void sq__probe_submit(const sq_queue_t *queue, const sq__pair_t *task) {
    SQ__PROBE4_FIELDS(submit, queue, SQ__LABEL_AT, task->call, task->first);
}

/* Around the call of a task. The function and context are those of its submission, or of the sync. */
#define SQ__PROBE_START(queue, function, context) SQ__PROBE4(start, (queue), SQ__LABEL_AT, (function), (context))
#define SQ__PROBE_END(queue) SQ__PROBE2(end, (queue), SQ__LABEL_AT)

/* The lists of suspended queues, suspended_list.c, and of wrappers, wrapper.c. */
extern const sq__layout_t sq__suspended_layout[], sq__wrapper_layout[];
