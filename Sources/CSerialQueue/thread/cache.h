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
 *     (t) another client takes the thread: claims the wait and writes itself into the thread's record, under the lock; then, without the lock, swaps the
 *         same wait to OVER: the thread calls that one
 *     (e) the thread ends, or serves the line: swaps the same wait to OVER
 *
 * One of them succeeds, as each names the wait. A client whose swap fails in (t) looks for another thread. The thread prepares its next wait before
 * it calls the client. So the next post may come as soon as the client has begun; but the thread is taken only once it idles again: `idle` says in
 * which wait.
 *
 * A thread is looked for under one lock: one that idles, else a new one. A thread that has idled for SQ__IDLES_FOR ends, unless few others stay: of
 * these SQ__KEPT_THREADS wait as long as there are clients, and no more than there are clients. A client may run on the threads of its class of
 * service alone. A client that asks for a size of stack has a thread from the first to the last, which no other client is given.
 *
 * Threads that were taken or started for a client are coming, until they hold the lock. As many may come at a time as half the processors, and at least one.
 * If so many come, the next posted clients wait in a line: so many posts at a time cost few wake-ups. A thread that comes first gives the first client of the
 * line a thread, and then runs its own client: so a client that blocks delays no other. A thread that has run its client takes the next one of the line.
 * Clients of other classes than the default one do not wait so, and their threads do not count as coming: on a busy machine those come late. So if the first
 * client of the line is of another class, the thread that comes serves the one after it, too.
 *
 * The lock is not held while a thread is started or woken up: else all clients that become busy meanwhile would wait for that. The thread is counted before the
 * lock is released. If it cannot be started, the count is taken back, and its client waits in the line: a post cannot fail, as its task was accepted.
 * The keeper, a thread that runs no client, then tries to start threads for the line. As long as there is no keeper, no client loses its thread: none
 * is taken, and none ends. There is a keeper until there are neither clients nor threads; a client is counted before its first thread is started.
 *
 * So if the line is not empty and the lock is free, a thread is coming that will look at the line, or one serves the line right now, or the keeper has been
 * called. */
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

/* Returns 0 and *client, which the caller may post; or ENOMEM: there is no memory, or no thread, and none could be started. The name is copied. L is
 * not held. */
int sq__cache_join(sq__client_t **client, sq__client_function_t function, void *argument, const sq__thread_kind_t *kind);

/* By the thread that has the right to post, L not held: ends the client. Its function is not called any more. Frees the client, now or when its new
 * thread has come. */
void sq__cache_leave(sq__client_t *client);

/* L is not held, by the thread that posts. The client's last wait was over: finds a thread, or appends the client to the line. The client may be
 * freed on return. */
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
