#include "thread/cache_internal.h"

#include "platform/list.h"
#include "platform/memory.h"
#include "thread/process.h"

#include <errno.h>

/* How many threads are looked at for one that idles. */
#ifndef SQ__THREAD_LOOKS
#define SQ__THREAD_LOOKS 16u
#endif

sq__cache_t sq__cache = { .lock = SQ__MUTEX_INIT, .threads_end = &sq__cache.threads, .line_end = &sq__cache.line };

/* The line */

void sq__cache_append_to_line(sq__client_t *client) {
    client->next = NULL;
    *sq__cache.line_end = client;
    sq__cache.line_end = &client->next;
    sq__store_relaxed(&sq__cache.line_waits, true);
}

sq__client_t *sq__cache_take_from_line(void) {
    sq__client_t *client = sq__cache.line;
    sq__cache.line = client->next;
    if (sq__cache.line == NULL) {
        sq__cache.line_end = &sq__cache.line;
        sq__store_relaxed(&sq__cache.line_waits, false);
    }
    return client;
}

/* Finding a thread */

/* L. Starts a thread for the client. `is_posted`: it calls it at once. False: no memory or no thread. */
static bool start_thread(sq__client_t *client, bool is_posted) {
    sq__token_t *token = sq__token_acquire();
    if (token == NULL) {
        return false;
    }
    client->token = token;
    client->wait_id = sq__token_prepare(token);
    if (is_posted) {
        sq__token_grant(token, client->wait_id);
    }
    if (sq__thread_start_planned(&client->start) != 0) {
        sq__token_recycle(token);
        return false;
    }
    return true;
}

bool sq__cache_take(sq__cached_thread_t *thread, sq__client_t *client) {
    sq__wait_id_t wait_id = sq__load_relaxed(&thread->idle);
    /* One taker for each wait: the thread may not have read `other` yet. [idle] acquire: it has read those of earlier waits. */
    if (wait_id == 0 || !sq__cas_acquire(&thread->idle, &wait_id, 0)) {
        return false;
    }
    thread->other = client;
    thread->is_alone = client == NULL;
    return sq__token_refuse(thread->token, wait_id);
}

static bool has_stack_of(const sq__cached_thread_t *thread, const sq__client_t *client) { return thread->start.stack_kib == client->start.stack_kib; }

/* L. Gives the client a thread that idles. False: none was found. */
static bool take_idle(sq__client_t *client) {
    for (unsigned looks = 0; sq__cache.threads != NULL && looks < SQ__THREAD_LOOKS; looks += 1) {
        sq__cached_thread_t *thread = sq__cache.threads;
        if (has_stack_of(thread, client) && sq__cache_take(thread, client)) {
            return true;
        }
        SQ__LIST_REMOVE_FROM(sq__cache.threads_end, thread);
        SQ__LIST_APPEND(sq__cache.threads_end, thread);
    }
    return false;
}

bool sq__cache_serve(sq__client_t *client) { return (sq__cache.keeper != NULL && take_idle(client)) || start_thread(client, true); }

void sq__cache_find_thread(sq__client_t *client) {
    sq__mutex_lock(&sq__cache.lock);
    if (!sq__cache_serve(client)) {
        sq__cache_append_to_line(client);
        sq__keeper_call();
    }
    sq__mutex_unlock(&sq__cache.lock);
}

/* Clients */

/* L. An idle thread that nobody will post becomes the client's. Else: *some_idle says whether others idle. */
static bool join_thread(sq__client_t *client, bool *some_idle) {
    unsigned looks = 0;
    *some_idle = false;
    for (sq__cached_thread_t *thread = sq__cache.threads; thread != NULL && looks < SQ__THREAD_LOOKS; thread = thread->next, looks += 1) {
        sq__wait_id_t wait_id = sq__load_acquire(&thread->idle); /* [idle] acquire: `own` */
        *some_idle = *some_idle || wait_id != 0;
        if (wait_id != 0 && thread->is_alone && has_stack_of(thread, client) && sq__token_is_open(thread->token, wait_id)) {
            thread->own = client;
            thread->is_alone = false;
            client->token = thread->token;
            client->wait_id = wait_id;
            return true;
        }
    }
    return false;
}

/* L. */
static bool join(sq__client_t *client) {
    bool some_idle;
    if (join_thread(client, &some_idle)) {
        return true;
    }
    if ((sq__cache.keeper != NULL || some_idle) && sq__keeper_is_there()) {
        client->token = sq__cache.keeper; /* with a wait that is over: the first post looks for a thread */
        return true;
    }
    return start_thread(client, false);
}

int sq__cache_join(sq__client_t **result, sq__client_function_t function, void *argument, const sq__thread_kind_t *kind) {
    sq__client_t *client = sq__memory(sizeof *client);
    if (client == NULL) {
        return ENOMEM;
    }
    *client = (sq__client_t){ .function = function, .argument = argument };
    sq__thread_plan(&client->start, sq__cached_thread_main, client, kind);
    sq__mutex_lock(&sq__cache.lock);
    bool joins = join(client);
    sq__cache.clients += joins;
    sq__mutex_unlock(&sq__cache.lock);
    if (!joins) {
        sq__memory_free(client);
        return ENOMEM;
    }
    *result = client;
    return 0;
}

void sq__cache_leave(sq__client_t *client) {
    sq__mutex_lock(&sq__cache.lock);
    bool waits = sq__token_is_open(client->token, client->wait_id);
    /* If it waits, only who holds the lock can end the wait now. So it is listed, or has just been started. */
    sq__cached_thread_t *thread = waits ? (sq__cached_thread_t *)(uintptr_t)sq__token_line(client->token) : NULL;
    if (waits && thread == NULL) {
        client->function = NULL; /* it still reads the record: it comes here, too */
        sq__token_grant(client->token, client->wait_id);
        client = NULL;
    } else {
        sq__cache.clients -= 1;
    }
    if (thread != NULL) {
        thread->is_alone = true;
        if (thread->is_kept || SQ__IDLES_FOR == 0) {
            (void)sq__cache_take(thread, NULL);
        }
    }
    sq__keeper_end_if_idle();
    sq__mutex_unlock(&sq__cache.lock);
    sq__memory_free(client);
}

/* For tests */

void sq__cache_end_idle(void) {
    sq__mutex_lock(&sq__cache.lock);
    for (sq__cached_thread_t *thread = sq__cache.threads; thread != NULL; thread = thread->next) {
        (void)(thread->is_alone && sq__cache_take(thread, NULL));
    }
    sq__mutex_unlock(&sq__cache.lock);
}

sq__cache_counts_t sq__cache_count(void) {
    sq__mutex_lock(&sq__cache.lock);
    sq__cache_counts_t counts = { .clients = sq__cache.clients, .kept = sq__cache.kept, .has_keeper = sq__cache.keeper != NULL };
    for (const sq__cached_thread_t *thread = sq__cache.threads; thread != NULL; thread = thread->next) {
        counts.threads += 1;
        counts.idle += sq__load_relaxed(&thread->idle) != 0;
    }
    for (const sq__client_t *client = sq__cache.line; client != NULL; client = client->next) {
        counts.in_line += 1;
    }
    sq__mutex_unlock(&sq__cache.lock);
    return counts;
}

/* The child has none of these threads, and no post comes to a client of the parent. */
static void forget_all(void) {
    sq__cache.clients = 0;
    sq__cache.kept = 0;
    sq__cache.threads = NULL;
    sq__cache.threads_end = &sq__cache.threads;
    sq__cache.line = NULL;
    sq__cache.line_end = &sq__cache.line;
    sq__store_relaxed(&sq__cache.line_waits, false);
    sq__cache.keeper = NULL;
}

SQ__AROUND_FORK(SQ__RANK_CACHE, .lock = &sq__cache.lock, .in_child = forget_all)
