/* cache_internal.h: the cache's threads, its line and its keeper, for cache.c, cached_thread.c and keeper.c. cache.h has the design. */
#pragma once

#include "platform/atomic.h"
#include "platform/memory.h"
#include "platform/mutex.h"
#include "thread/cache.h"

/* A thread of the cache. F fixed while it is listed; L under the lock; A atomic. It is a local variable of its thread. */
typedef struct sq__cached_thread {
    sq__token_t *token;              /* F */
    sq__thread_start_t start;        /* F  how it was started, with the name that it has now */
    SQ__ATOMIC(sq__wait_id_t) idle;  /* A  the wait in which it idles, 0: in none; set by the thread, cleared by it and by the one that takes it */
    sq__client_t *own;               /* L while it idles: the client that may post it. It ran this one last */
    bool is_alone;                   /* L  that client has left: nobody will post it */
    sq__client_t *other;             /* L  the client that has taken it; NULL: it is to end */
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
    unsigned kept;                                    /* L  how many threads are kept: no more than there are clients */
    sq__client_t *line, **line_end;                   /* L  posted clients without a thread, in the order of their posts */
    sq__token_t *keeper;                              /* L  its token; NULL: there is none */
} sq__cache_t;

extern sq__cache_t sq__cache;

/* cache.c */

/* L. Ends this thread's wait, if it idles: it runs the client, or ends if that is NULL. */
bool sq__cache_take(sq__cached_thread_t *thread, sq__client_t *client);

/* L. Finds a thread for a posted client: one that idles, if there is a keeper; else it starts one. False: no memory or no thread. */
bool sq__cache_serve(sq__client_t *client);

/* L. The line is not empty. */
sq__client_t *sq__cache_take_from_line(void);

/* L. */
void sq__cache_append_to_line(sq__client_t *client);

/* cached_thread.c: the body of a thread, which was started for this client. */
void sq__cached_thread_main(void *client);

/* keeper.c */

/* L. True: there is one, perhaps since now. */
bool sq__keeper_is_there(void);

/* L. Nobody needs it any more, if there is neither a client nor a thread. */
void sq__keeper_end_if_idle(void);

/* L. Clients are in the line. There is one: a client loses its thread only while there is. */
void sq__keeper_call(void);
