/* cache_threads.h: the threads of the cache, and finding one for a client; the line of clients for which there was none. cache.h has the design. */
#pragma once

#include "platform/atomic.h"
#include "platform/memory.h"
#include "platform/mutex.h"
#include "thread/client.h"

#include <stddef.h>

/* A thread of the cache. F fixed while it is listed; L under the lock; A atomic. It is a local variable of its thread. */
typedef struct sq__cached_thread {
    sq__token_t *token;              /* F */
    sq__thread_start_t start;        /* F  how it was started, with the name that it has now */
    SQ__ATOMIC(sq__wait_id_t) idle;  /* A  the wait in which it idles, 0: in none, or claimed; set by the thread, cleared by it and by the one that takes it */
    sq__client_t *own;               /* L while it idles: the client that may post it. It ran this one last */
    uint64_t slept_at;               /* when its last sleep began; of the thread alone */
    bool is_alone;                   /* L  that client has left: nobody will post it */
    sq__client_t *other;             /* L  the client that has claimed its wait; NULL: it is to end */
    bool is_kept;                    /* L, written by the thread alone: it idles without a limit */
    struct sq__cached_thread *next;  /* L */
    struct sq__cached_thread **link; /* L */
} sq__cached_thread_t;

/* L under its lock. */
typedef struct sq__cache {
    _Alignas(SQ__LINE) SQ__ATOMIC(bool) line_waits;   /* L, and read by any thread as a hint, so far from the rest: the line is not empty */
    _Alignas(SQ__LINE) sq__mutex_t lock;
    size_t clients;                                   /* L */
    sq__cached_thread_t *threads, **threads_end;      /* L  those that idled when they were looked at come first */
    unsigned kept;                                    /* L  how many threads without a stack of their own are kept: no more than there are clients */
    sq__client_t *line, **line_end;                   /* L  posted clients without a thread, in the order of their posts */
    unsigned coming;                                  /* L  how many threads of the default class come for a posted client: each will look at the line */
    sq__token_t *joined;                              /* L  of the thread that was joined last; NULL: none yet */
    sq__wait_id_t joined_wait;                        /* L  the wait in which it idled then */
    sq__token_t *keeper;                              /* L  its token; NULL: there is none */
} sq__cache_t;

extern sq__cache_t sq__cache;

/* L. Ends the thread, if it idles. */
void sq__cache_end(sq__cached_thread_t *thread);

/* Of a thread: it counts as coming. Of a client: it may wait in the line for such a thread. */
static inline bool sq__cache_is_counted(const sq__thread_start_t *start) { return start->service == SQ_SERVICE_DEFAULT; }

/* Of so many threads that come: a posted client waits in the line for one of them. */
bool sq__cache_enough_come(unsigned coming, unsigned processors);

/* L is not held. Starts a thread for the client. `is_posted`: it calls it at once, and the client has no wait. Else it waits for a post. False: no
 * memory or no thread. */
bool sq__cache_start(sq__client_t *client, bool is_posted);

/* L. An idle thread that nobody will post becomes the client's, which may post it. One at a time: until that thread has begun, further clients are left to
 * find a thread with their first post. So many new clients wait in the line for threads that come, and do not wake one each. False: *some_idle says
 * whether others idle. */
bool sq__cache_join_idle(sq__client_t *client, bool *some_idle);

/* L, which it releases. Finds a thread for a posted client, which then is coming: one that idles, if there is a keeper; else it starts one. False: no memory or
 * no thread; the client is in the line, and the keeper has been called. */
bool sq__cache_serve(sq__client_t *client);

/* L. Takes the first client of the line that this thread may serve, or, if `thread` is NULL, the first of all. NULL: there is none. */
sq__client_t *sq__cache_take_from_line(const sq__cached_thread_t *thread);

/* L. */
void sq__cache_append_to_line(sq__client_t *client);
