/* dump_view.h: what a dump has found, before it is written.
 *
 * DESIGN. A dump first collects, then writes: while it holds a lock it writes nothing, as the reader of the text may be slow. It
 * finds the threads in their list (thread/self.h), and through their frames and waits the queues that run or are waited for;
 * the queues that wait for a thread of their pool in the pools' lists; and the suspended ones in theirs. A queue with work is in
 * one of these states, or is just being handed from one thread to another.
 *
 * A stuck thread may have a lock: the dump only tries to get it (sq__patience_t). Records of other threads are peeked at (platform/peek.h). */
#pragma once

#include "platform/mutex.h"
#include "platform/peek.h"
#include "platform/symbols.h"
#include "thread/self.h"
#include "trace/trace.h"
#include "wait/wait.h"

/* SQ__DUMP_TRIES: how often a dump tries to get locks, all together; on an idle machine they take a second. */
enum { SQ__VIEW_FRAMES = 4, SQ__VIEW_LABEL = 64, SQ__DUMP_TRIES = 200 };

/* Items of one size, in pages. */
typedef struct sq__view_list {
    char *items;
    size_t count, size, room;
} sq__view_list_t;

/* One task of a thread, innermost first. */
typedef struct sq__view_frame {
    const void *owner;      /* the queue; NULL: a function outside of every queue */
    sq_function_t function; /* NULL: not known, or none at the moment */
    const char *what;       /* NULL, or what it is, in words: the library calls the user's function */
    uintptr_t code;         /* the first word of its context, which may be the code of a Swift closure; or 0 */
    uint64_t since;         /* 0: not recorded */
    const void *site;        /* where it was submitted, or of the call that waits for it; 0: not recorded */
    bool is_call;           /* a thread waits for it, or it runs on the thread that called */
} sq__view_frame_t;

typedef struct sq__view_thread {
    const sq__self_t *at;
    sq__self_t self;
    unsigned frames; /* how many it has; `frame` has the innermost ones */
    sq__view_frame_t frame[SQ__VIEW_FRAMES];
    const void *once; /* the once whose function it is in, or the apply that it helps; or NULL */
    char apply[SQ__VIEW_LABEL]; /* the label of that apply's pool */
    uintptr_t code;             /* of its iterations */
    bool is_apply;
    bool is_item; /* that is performed; `apply` is its label */
    const void *item_maker; /* NULL: it has a label */
    bool waits;
    sq__wait_t wait;
    char kind[16];              /* of the subject; "": it waits for its turn, for room, or for the end of the queue */
    char label[SQ__VIEW_LABEL]; /* of what it waits for */
    const void *maker;          /* where that was made, if it has no label; or NULL */
    const void *object;         /* of the subject, or the queue */
} sq__view_thread_t;

typedef struct sq__view_queue {
    const sq_queue_t *at;
    bool is_there;      /* false: it could not be read */
    bool is_ready;      /* it waits for a thread of its pool */
    bool lacks_owner;   /* and that is a loop that no thread runs */
    uint64_t owner;     /* and that is a loop: the thread that owns it, or was the last one; 0: none yet */
    bool is_concurrent;
    uint64_t state;     /* state/state.h */
    uint64_t gate;      /* gate/gate.h, of a concurrent one */
    uint64_t depth, ran;
    uint32_t suspensions;
    unsigned threads;   /* that wait for it */
    uint64_t oldest;    /* when the first of them fell asleep; 0: none */
    const void *oldest_site; /* of the oldest waiting task; NULL: not known */
    bool oldest_is_call;    /* that is a thread that waits */
    uint64_t unchanged; /* the same, among those since when no task has begun; 0: none */
    bool runs;          /* a thread runs one of its tasks */
    bool is_in_cycle;   /* and threads that wait for each other do */
    bool stands_out;    /* it is not folded (dump_work.c) */
    char label[SQ__VIEW_LABEL];
} sq__view_queue_t;

/* A key by which an item is sorted. The items themselves are not moved: for 100,000 queues that would be slow. */
typedef struct sq__view_key {
    uint64_t first, second;
    size_t item;
} sq__view_key_t;

typedef struct sq__view_timer {
    uint64_t in, interval; /* nanoseconds */
    bool is_delayed;
    const void *queue;
    char label[SQ__VIEW_LABEL], pool[SQ__VIEW_LABEL]; /* pool: the manual pool whose clock it uses, or "" */
} sq__view_timer_t;

typedef struct sq__view {
    uint64_t now;
    sq__patience_t patience;
    sq__view_list_t threads; /* sq__view_thread_t */
    sq__view_list_t held;    /* sq__view_key_t: what a thread holds, a queue or once, and the thread */
    sq__view_list_t queues;  /* sq__view_queue_t, some of them twice */
    sq__view_list_t order;   /* sq__view_key_t of `queues`, each once, by `at` until they are written */
    sq__view_list_t pools;   /* sq__pool_view_t */
    sq__view_list_t timers;  /* sq__view_timer_t */
    sq__symbols_t *symbols;
    bool had_no_memory;
    bool had_threads, had_pools; /* it had the locks of these lists */
    unsigned without_suspended;  /* how many locks of the suspended queues it did not get */
    unsigned without_timers;     /* and of the alarms */
} sq__view_t;

/* Adds a zeroed item; earlier pointers to items of the list become invalid. NULL: no memory (had_no_memory). */
void *sq__view_add(sq__view_t *view, sq__view_list_t *list);

/* Frees its pages. */
void sq__view_list_free(sq__view_list_t *list);

/* Adds a key to a list of them, which is then no longer sorted. Without memory it is left out. */
void sq__view_add_key(sq__view_t *view, sq__view_list_t *keys, uint64_t first, uint64_t second, size_t item);

/* Sorts keys. Equal ones stay in order. Without memory they stay as they are (had_no_memory): then sq__view_first may not find a key. */
void sq__view_sort(sq__view_t *view, sq__view_list_t *keys);

/* In sorted keys the place of the first whose `first` is not smaller than this one; their count if there is none. */
size_t sq__view_first(const sq__view_list_t *keys, uint64_t first);

static inline sq__view_key_t *sq__view_key(const sq__view_list_t *keys, size_t i) { return (sq__view_key_t *)(void *)keys->items + i; }

static inline sq__view_thread_t *sq__view_thread(const sq__view_t *view, size_t i) { return (sq__view_thread_t *)(void *)view->threads.items + i; }

/* Adds a site to the wanted symbols, if it is known. */
static inline void sq__view_want_site(sq__view_t *view, const void *site) {
    if (site != NULL) {
        sq__symbols_want(view->symbols, sq__site_of_call(site));
    }
}

/* The queue at this place of the order. */
static inline sq__view_queue_t *sq__view_queue(const sq__view_t *view, size_t i) {
    return (sq__view_queue_t *)(void *)view->queues.items + sq__view_key(&view->order, i)->item;
}
