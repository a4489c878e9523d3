/* events.h: the events of a trace's threads in 32 bytes each, and what else the file says. */
#pragma once

#include "store.h"

#include <stdio.h>

/* The first texts of every trace: categories, and names of notes. */
#define FIRST_TEXTS(X)                                                                                                                        \
    X(EMPTY, "") X(RUN, "run") X(WAIT, "wait") X(APPLY, "apply") X(SUBMIT, "submit") X(GRANT, "grant") X(WITHDRAWN, "withdrawn")             \
    X(SUSPEND, "suspend") X(RESUME, "resume") X(ENDED, "end of the queue") X(TIMER, "timer") X(MARK, "mark") X(DEADLOCK, "deadlock")         \
    X(REMARK, "remark") X(END_OF_TRACE, "end") X(DROPPED, "dropped")                                                                         \
    X(QUEUE, "queue") X(KIND, "kind") X(AIM, "aim") X(COUNT, "count") X(RAN, "ran") X(DETAIL, "detail") X(THREAD, "thread")                  \
    X(EVENTS, "events") X(BUFFER, "buffer") X(FUNCTION, "function") X(CONTEXT, "context") X(SITE, "site") X(LABEL, "label")                  \
    X(OUTCOME, "outcome") X(REFUSED, "refused, a deadlock")
#define AS_NUMBER(name, text) name,
enum { FIRST_TEXTS(AS_NUMBER) FIRST_TEXTS_COUNT };

enum { BEGIN = 1, END = 2, INSTANT = 3 }; /* types of events */
#define TRACKS_OF_THREADS UINT64_C(1)     /* upper half of a track's number; the lower half is that of the thread or queue */
#define TRACKS_OF_QUEUES UINT64_C(2)
#define NO_DETAIL UINT64_MAX

/* What many events have in common. The last eight are numbers of texts. */
typedef struct note {
    uint32_t type, kind, aim, category, name, function, context, site, label, outcome;
} note_t;

typedef struct event {
    uint64_t time;
    uint64_t flow; /* the place in the queue, 0: none; of an apply the count or what ran; of a resume the detail */
    uint32_t queue, thread, note; /* numbers in the lists of the trace */
    uint32_t number; /* model.c: of a submission its task, of a wait its own number; else 0 */
} event_t;

typedef struct thread {
    uint64_t track, id;
    uint32_t name;
    bool is_described;
} thread_t;

typedef struct queue {
    uint64_t handle; /* its number in dumps; 0: not known. A later queue may have the same */
    uint32_t id, label;
    bool is_described, is_hidden;
} queue_t;

typedef struct trace {
    uint64_t process, begin, finish, last_clock;
    bool is_cut, has_end, has_events;
    texts_t texts;
    records_t notes;
    LIST(event_t) events; /* as in the file: of each thread by time */
    LIST(thread_t) threads;
    LIST(queue_t) queues; /* the first one is none: number 0, without a label */
    LIST(uint32_t) described; /* queues by the place of their label in the file */
    LIST(struct remark { uint64_t time; uint32_t text; }) remarks;
    LIST(struct dropped { uint64_t thread, events, buffer; }) dropped;
    map_t tracks, queue_ids;
} trace_t;

/* Reads the file, which ends the process with a message if it is no trace. `progress`: says on stderr how far it is. */
void trace_read(trace_t *trace, FILE *file, bool progress);

static inline const note_t *note_of(const trace_t *trace, const event_t *event) { return (const note_t *)(const void *)trace->notes.at + event->note; }
