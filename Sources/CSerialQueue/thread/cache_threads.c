#include "thread/cache_threads.h"

#include "platform/list.h"
#include "thread/process.h"

/* How many threads are looked at for one that idles. */
#ifndef SQ__THREAD_LOOKS
#define SQ__THREAD_LOOKS 16u
#endif

sq__cache_t sq__cache = { .lock = SQ__MUTEX_INIT, .threads_end = &sq__cache.threads, .line_end = &sq__cache.line };

void sq__cache_append_to_line(sq__client_t *client) {
    client->next = NULL;
    *sq__cache.line_end = client;
    sq__cache.line_end = &client->next;
    sq__store_relaxed(&sq__cache.line_waits, true);
}

/* L. The client, which has no stack of its own, may run on the thread while another client may still post that. A thread with a stack of its own is
 * its client's. */
static bool may_serve(const sq__cached_thread_t *thread, const sq__client_t *client) {
    return thread->start.stack_kib == 0 && thread->start.service == client->start.service;
}

sq__client_t *sq__cache_take_from_line(const sq__cached_thread_t *thread) {
    sq__client_t **link = &sq__cache.line;
    while (*link != NULL && thread != NULL && !may_serve(thread, *link)) {
        link = &(*link)->next;
    }
    sq__client_t *client = *link;
    if (client != NULL) {
        *link = client->next;
        sq__cache.line_end = client->next == NULL ? link : sq__cache.line_end;
        sq__store_relaxed(&sq__cache.line_waits, sq__cache.line != NULL);
    }
    return client;
}

bool sq__cache_start(sq__client_t *client, bool is_posted) {
    sq__token_t *token = sq__token_acquire();
    if (token == NULL) {
        return false;
    }
    client->token = token;
    client->wait_id = is_posted ? 0 : sq__token_prepare(token);
    if (sq__thread_start_planned(&client->start) != 0) {
        sq__token_recycle(token);
        return false;
    }
    return true;
}

/* L. Returns the wait in which the thread idles, which the caller alone may refuse now, and shall, with or without the lock: then the thread runs the
 * client, or ends if that is NULL. 0: it does not idle. */
static sq__wait_id_t take(sq__cached_thread_t *thread, sq__client_t *client) {
    /* One taker for each wait: the thread may not have read `other` yet. [idle] acquire: it has read those of earlier waits. */
    sq__wait_id_t wait_id = sq__exchange_acquire(&thread->idle, 0);
    if (wait_id != 0) {
        thread->other = client;
    }
    return wait_id;
}

void sq__cache_end(sq__cached_thread_t *thread) {
    sq__wait_id_t wait_id = take(thread, NULL);
    (void)(wait_id != 0 && sq__token_refuse(thread->token, wait_id));
}

/* L. Takes a thread that idles. Returns its token and the wait, which the caller is to refuse; NULL: none was found. */
static sq__token_t *take_idle(sq__client_t *client, sq__wait_id_t *wait_id) {
    for (unsigned looks = 0; sq__cache.threads != NULL && looks < SQ__THREAD_LOOKS; looks += 1) {
        sq__cached_thread_t *thread = sq__cache.threads;
        if (sq__load_relaxed(&thread->idle) != 0 && may_serve(thread, client) && (*wait_id = take(thread, client)) != 0) {
            return thread->token;
        }
        SQ__LIST_REMOVE_FROM(sq__cache.threads_end, thread);
        SQ__LIST_APPEND(sq__cache.threads_end, thread);
    }
    return NULL;
}

/* L. The thread that was joined last has yet to begin. Relaxed: only a hint. */
static bool one_has_yet_to_begin(void) {
    return sq__cache.joined != NULL && sq__token_is_prepared(sq__cache.joined, sq__cache.joined_wait);
}

bool sq__cache_join_idle(sq__client_t *client, bool *some_idle) {
    unsigned looks = 0;
    bool may_join = !one_has_yet_to_begin();
    *some_idle = false;
    for (sq__cached_thread_t *thread = sq__cache.threads; thread != NULL && looks < SQ__THREAD_LOOKS; thread = thread->next, looks += 1) {
        sq__wait_id_t wait_id = sq__load_acquire(&thread->idle); /* [idle] acquire: `own` */
        bool idles = wait_id != 0 && may_serve(thread, client);
        *some_idle = *some_idle || idles;
        if (may_join && idles && thread->is_alone && sq__token_is_open(thread->token, wait_id)) {
            thread->own = client;
            thread->is_alone = false;
            client->token = thread->token;
            client->wait_id = wait_id;
            sq__cache.joined = thread->token;
            sq__cache.joined_wait = wait_id;
            return true;
        }
    }
    return false;
}

bool sq__cache_enough_come(unsigned coming, unsigned processors) { return coming > 0 && coming >= processors / 2; }

bool sq__cache_serve(sq__client_t *client) {
    const bool is_counted = sq__cache_is_counted(&client->start); /* once its thread has come, the client may be freed */
    sq__token_t *taken;
    sq__wait_id_t wait_id;
    sq__cache.coming += is_counted;
    while ((taken = sq__cache.keeper != NULL ? take_idle(client, &wait_id) : NULL) != NULL) {
        sq__mutex_unlock(&sq__cache.lock);
        if (sq__token_refuse(taken, wait_id)) {
            return true;
        }
        sq__mutex_lock(&sq__cache.lock); /* its own client was faster, or it has ended */
    }
    sq__mutex_unlock(&sq__cache.lock);
    if (sq__cache_start(client, true)) {
        return true;
    }
    sq__mutex_lock(&sq__cache.lock);
    sq__cache.coming -= is_counted;
    sq__cache_append_to_line(client);
    sq__token_wake(sq__cache.keeper); /* there is one: a client loses its thread only while there is */
    sq__mutex_unlock(&sq__cache.lock);
    return false;
}

/* L, in the child of a fork. The child has none of these threads, and no post comes to a client of the parent. */
static void forget_all(void) {
    sq__cache.clients = 0;
    sq__cache.kept = 0;
    sq__cache.coming = 0;
    sq__cache.joined = NULL;
    sq__cache.threads = NULL;
    sq__cache.threads_end = &sq__cache.threads;
    sq__cache.line = NULL;
    sq__cache.line_end = &sq__cache.line;
    sq__store_relaxed(&sq__cache.line_waits, false);
    sq__cache.keeper = NULL;
}

SQ__AROUND_FORK(SQ__RANK_CACHE, .lock = &sq__cache.lock, .in_child = forget_all)
