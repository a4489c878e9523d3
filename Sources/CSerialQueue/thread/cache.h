/* cache.h: threads that belong to no queue. Each runs what is posted, one thing after the other.
 *
 * DESIGN. A client is what needs a thread now and then: a queue. One thread at a time has the right to post it. It posts once, and a thread of the cache
 * calls the client's function once. The next post may come as soon as the function has begun.
 *
 * A thread that has run a client idles: it waits for that client's next post. Client and thread know each other by the wait alone: a token and a
 * wait's ID. So the post is one swap of the token's word (token.h), and touches nothing that other clients use. Any other client may take an idle
 * thread, by refusing its wait. Then the first client's next post finds the wait over, and looks for a thread, too.
 *
 *     (p) the post: swaps the wait that the client remembers to GRANTED: the thread calls the client
 *     (t) another client takes the thread: writes itself into the thread's record, then swaps the same wait to OVER: the thread calls that one
 *     (e) the thread ends, or serves the line: swaps the same wait to OVER
 *
 * One of them succeeds, as each names the wait. The thread prepares its next wait before it calls the client. So the next post may come as soon as
 * the client has begun; but the thread is taken only once it idles again: `idle` says in which wait.
 *
 * A thread is looked for under one lock: one that idles, else a new one. A thread that has idled for SQ__IDLES_FOR ends, unless few others stay: of
 * these SQ__KEPT_THREADS wait as long as there are clients, and no more than there are clients. A client may run on the threads of its class of
 * service alone. A client that asks for a size of stack has a thread from the first to the last, which no other client is given.
 *
 * If a thread was taken or started for a client and has not come yet, the next posted clients wait in a line: so many posts at a time cost few wake-ups. The
 * thread that comes gives the first client of the line a thread, before it runs its own client: so a client that blocks delays no other. A thread that has run
 * its client takes the next one of the line. Clients of other classes than the default one do not wait so, and nobody waits for their threads: on a busy machine those
 * come late.
 *
 * A post cannot fail: its task was accepted. If no thread can be started, the client waits in the line, too. The keeper, a thread that runs no client, tries to start
 * threads for it. As long as there is no keeper, no
 * client loses its thread: none is taken, and none ends. */
#pragma once

#include "thread/client.h"

#include <stddef.h>

/* Nanoseconds. */
#ifndef SQ__IDLES_FOR
#define SQ__IDLES_FOR UINT64_C(500000000)
#endif
#ifndef SQ__KEPT_THREADS
#define SQ__KEPT_THREADS 16u
#endif

/* Returns 0 and *client, or ENOMEM: there is no memory, or no thread, and none could be started. The name is copied. */
int sq__cache_join(sq__client_t **client, sq__client_function_t function, void *argument, const sq__thread_kind_t *kind);

/* By the thread that has the right to post: ends the client, and frees it. */
void sq__cache_leave(sq__client_t *client);

/* L is not held. The client's last wait was over: finds a thread. */
void sq__cache_find_thread(sq__client_t *client);

/* A thread calls the client's function once. Never fails. Both fields are read before the grant: after it the client may be freed. Tokens are never freed. */
static inline void sq__cache_post(sq__client_t *client) {
    if (__builtin_expect(!sq__token_grant(client->token, client->wait_id), 0)) {
        sq__cache_find_thread(client);
    }
}

/* For tests. */
typedef struct sq__cache_counts {
    size_t clients, threads, idle, kept, in_line;
    bool has_keeper;
} sq__cache_counts_t;
sq__cache_counts_t sq__cache_count(void);
void sq__cache_end_idle(void); /* ends the idle threads that no client has */
