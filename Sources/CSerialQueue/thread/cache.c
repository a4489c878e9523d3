#include "thread/cache.h"

#include "platform/list.h"
#include "platform/memory.h"
#include "platform/processors.h"
#include "thread/cache_threads.h"
#include "thread/keeper.h"
#include "thread/process.h"
#include "thread/worker.h"

#include <errno.h>

void sq__cache_find_thread(sq__client_t *client) {
    const unsigned processors = sq__processors_known();
    sq__mutex_lock(&sq__cache.lock);
    if (sq__cache_is_counted(&client->start) && sq__cache_enough_come(sq__cache.coming, processors)) {
        sq__cache_append_to_line(client);
        sq__mutex_unlock(&sq__cache.lock);
    } else {
        (void)sq__cache_serve(client);
    }
}

void sq__cache_leave(sq__client_t *client) {
    sq__mutex_lock(&sq__cache.lock);
    bool waits = sq__token_is_open(client->token, client->wait_id);
    /* If it waits, its thread must have the lock before it ends or runs another client. So its record is there, or it has just been started. */
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
            sq__cache_end(thread);
        }
    }
    sq__keeper_end_if_idle();
    sq__mutex_unlock(&sq__cache.lock);
    sq__memory_free(client);
}

/* A thread of the cache: it runs a client, idles, and runs the next one */

/* Its client asked for a stack of this size, and keeps it. */
static bool has_own_stack(const sq__cached_thread_t *self) { return self->start.stack_kib != 0; }

/* T, L not held. The thread has idled long enough. True: it stays, or this wait has been decided. False: the wait is withdrawn, and the thread is to
 * end. */
static bool stays(sq__cached_thread_t *self, sq__wait_id_t wait_id) {
    sq__mutex_lock(&sq__cache.lock);
    self->is_kept = !self->is_alone && (has_own_stack(self) || sq__cache.kept < SQ__KEPT_THREADS || !sq__keeper_is_there());
    sq__cache.kept += self->is_kept && !has_own_stack(self);
    bool ends = !self->is_kept && sq__token_withdraw(self->token, wait_id) == SQ__WITHDRAWN;
    sq__mutex_unlock(&sq__cache.lock);
    return !ends;
}

/* T, L not held. Returns a client of the line, and withdraws the wait. NULL: the line has none for this thread, or the wait was decided first. */
static sq__client_t *serve_instead(sq__cached_thread_t *self, sq__wait_id_t wait_id) {
    sq__mutex_lock(&sq__cache.lock);
    sq__client_t *client = sq__cache_take_from_line(self);
    if (client != NULL && sq__token_withdraw(self->token, wait_id) != SQ__WITHDRAWN) {
        sq__cache_append_to_line(client); /* its own client came first */
        client = NULL;
    }
    self->is_alone = self->is_alone && client == NULL;
    sq__mutex_unlock(&sq__cache.lock);
    return client;
}

static void be_kept_no_longer(sq__cached_thread_t *self) {
    sq__mutex_lock(&sq__cache.lock);
    self->is_kept = false;
    sq__cache.kept -= !has_own_stack(self);
    sq__mutex_unlock(&sq__cache.lock);
}

/* L, which it releases. This thread was taken or started for a posted client, and has come. Before it calls that, the next one of the line gets a
 * thread. If that thread does not count as coming, the one after it gets a thread, too. */
static void come(sq__cached_thread_t *self) {
    sq__cache.coming -= sq__cache_is_counted(&self->start);
    self->is_alone = false; /* the client before may have left since this thread was claimed */
    for (bool continues = true; continues && sq__cache.line != NULL;) {
        sq__client_t *client = sq__cache_take_from_line(NULL);
        continues = !sq__cache_is_counted(&client->start);
        continues = sq__cache_serve(client) && continues;
        sq__mutex_lock(&sq__cache.lock);
    }
    sq__mutex_unlock(&sq__cache.lock);
}

/* T, L not held. Until the wait is decided, or withdrawn, as the thread is to end. */
static sq__outcome_t sleep_idle(sq__cached_thread_t *self, sq__wait_id_t wait_id) {
    sq__outcome_t outcome = SQ__IDLES_FOR > 0 && !has_own_stack(self) ? sq__worker_sleep(self->token, wait_id, SQ__IDLES_FOR) : SQ__OPEN;
    if (outcome == SQ__OPEN) {
        outcome = stays(self, wait_id) ? sq__worker_sleep(self->token, wait_id, SQ__NEVER) : SQ__WITHDRAWN;
    }
    return outcome;
}

/* T, L not held. Waits for what is to be run next: the client that it ran last, or another one. NULL: nothing, the thread ends. The wait is over on
 * return. */
static sq__client_t *idle(sq__cached_thread_t *self, sq__wait_id_t wait_id) {
    sq__client_t *client = sq__load_relaxed(&sq__cache.line_waits) ? serve_instead(self, wait_id) : NULL;
    if (client != NULL) {
        return client;
    }
    sq__store_release(&self->idle, wait_id); /* [idle] release: `own`; and it has read `other` */
    sq__outcome_t outcome = sq__worker_look(self->token, wait_id, &self->slept_at);
    outcome = outcome == SQ__OPEN ? sleep_idle(self, wait_id) : outcome;
    sq__store_relaxed(&self->idle, 0);
    if (self->is_kept) {
        be_kept_no_longer(self);
    }
    if (outcome == SQ__REFUSED && self->other != NULL) {
        sq__mutex_lock(&sq__cache.lock);
        come(self);
    }
    return outcome == SQ__GRANTED ? self->own : outcome == SQ__REFUSED ? self->other : NULL;
}

/* The body of a thread, started for this client by sq__cache_start. The client is posted if its wait_id is 0. Returns when nobody needs the thread,
 * and the token was given back; or at once in the child of a fork. */
static void cached_thread_main(void *argument) {
    sq__client_t *client = argument;
    const uint32_t process = sq__process();
    sq__cached_thread_t self = { .token = client->token, .start = client->start, .own = client };
    sq__wait_id_t wait_id = client->wait_id;
    sq__mutex_lock(&sq__cache.lock);
    SQ__LIST_APPEND(sq__cache.threads_end, &self);
    sq__token_wait_in(self.token, &self);
    if (wait_id == 0) {
        come(&self);
    } else {
        sq__mutex_unlock(&sq__cache.lock);
        client = idle(&self, wait_id);
    }
    for (; client != NULL; client = idle(&self, wait_id)) {
        sq__thread_take_name(&self.start, &client->start);
        self.own = client;
        client->token = self.token;
        /* Before the call: the next post may come before the function has returned. */
        wait_id = client->wait_id = sq__token_prepare(self.token);
        sq__token_wait_in(self.token, &self);
        bool has_ended = client->function == NULL || !client->function(client->argument);
        if (sq__process() != process) { /* it has forked, and this is the child: the thread, its token and the client are the parent's */
            return;
        }
        if (has_ended) {
            sq__cache_leave(client);
        }
    }
    sq__mutex_lock(&sq__cache.lock);
    SQ__LIST_REMOVE_FROM(sq__cache.threads_end, &self);
    sq__keeper_end_if_idle();
    sq__mutex_unlock(&sq__cache.lock);
    sq__token_recycle(self.token);
}

/* Joining */

/* L. True: the client has a token and a wait, so it may be posted. False: a thread is to be started for the client. If that has a stack of its own,
 * nobody takes it: so its posts never look for a thread. */
static bool join(sq__client_t *client) {
    bool some_idle;
    if (client->start.stack_kib != 0) {
        return false;
    }
    if (sq__cache_join_idle(client, &some_idle)) {
        return true;
    }
    if ((sq__cache.keeper != NULL || some_idle) && sq__keeper_is_there()) {
        client->token = sq__cache.keeper; /* with a wait that is over: the first post looks for a thread */
        return true;
    }
    return false;
}

int sq__cache_join(sq__client_t **result, sq__client_function_t function, void *argument, const sq__thread_kind_t *kind) {
    sq__client_t *client = sq__memory(sizeof *client);
    if (client == NULL) {
        return ENOMEM;
    }
    *client = (sq__client_t){ .function = function, .argument = argument };
    sq__thread_plan(&client->start, cached_thread_main, client, kind);
    sq__mutex_lock(&sq__cache.lock);
    sq__cache.clients += 1; /* before its thread starts, which another client may take: then there is a keeper, and it stays */
    bool has_joined = join(client);
    sq__mutex_unlock(&sq__cache.lock);
    if (!has_joined && !sq__cache_start(client, false)) {
        goto no_thread;
    }
    *result = client;
    return 0;
no_thread:
    sq__mutex_lock(&sq__cache.lock);
    sq__cache.clients -= 1;
    sq__keeper_end_if_idle();
    sq__mutex_unlock(&sq__cache.lock);
    sq__memory_free(client);
    return ENOMEM;
}

/* For tests */

void sq__cache_end_idle(void) {
    sq__mutex_lock(&sq__cache.lock);
    for (sq__cached_thread_t *thread = sq__cache.threads; thread != NULL; thread = thread->next) {
        if (thread->is_alone) {
            sq__cache_end(thread);
        }
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
