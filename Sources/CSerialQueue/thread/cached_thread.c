/* cached_thread.c: what a thread of the cache does: it runs a client, idles, and runs the next one. */
#include "thread/cache_internal.h"

#include "platform/list.h"
#include "thread/process.h"
#include "thread/worker.h"

/* It has idled long enough. True: it stays. */
static bool stays(sq__cached_thread_t *self, sq__wait_id_t wait_id) {
    sq__mutex_lock(&sq__cache.lock);
    self->is_kept = !self->is_alone && (sq__cache.kept < SQ__KEPT_THREADS || !sq__keeper_is_there());
    sq__cache.kept += self->is_kept;
    bool ends = !self->is_kept && sq__token_withdraw(self->token, wait_id) == SQ__WITHDRAWN;
    sq__mutex_unlock(&sq__cache.lock);
    return !ends;
}

/* A client of the line, in place of the wait; NULL: none. */
static sq__client_t *serve_instead(sq__cached_thread_t *self, sq__wait_id_t wait_id) {
    sq__mutex_lock(&sq__cache.lock);
    bool serves = sq__cache.line != NULL && sq__token_withdraw(self->token, wait_id) == SQ__WITHDRAWN;
    sq__client_t *client = serves ? sq__cache_take_from_line() : NULL;
    self->is_alone = self->is_alone && !serves;
    sq__mutex_unlock(&sq__cache.lock);
    return client;
}

static void be_kept_no_longer(sq__cached_thread_t *self) {
    sq__mutex_lock(&sq__cache.lock);
    self->is_kept = false;
    sq__cache.kept -= 1;
    sq__mutex_unlock(&sq__cache.lock);
}

/* Waits for what is to be run next: the client that it ran last, or another one. NULL: nothing, the thread ends. */
static sq__client_t *idle(sq__cached_thread_t *self, sq__wait_id_t wait_id) {
    sq__client_t *client = sq__load_relaxed(&sq__cache.line_waits) ? serve_instead(self, wait_id) : NULL;
    if (client != NULL) {
        return client;
    }
    sq__store_release(&self->idle, wait_id); /* [idle] release: `own`; and it has read `other` */
    sq__outcome_t outcome = sq__token_spin(self->token, wait_id, SQ__SPIN_WORKER, SQ__WORKER_SPINS);
    if (outcome == SQ__OPEN && SQ__IDLES_FOR > 0) {
        outcome = sq__worker_sleep(self->token, wait_id, SQ__IDLES_FOR);
    }
    if (outcome == SQ__OPEN) {
        outcome = stays(self, wait_id) ? sq__worker_sleep(self->token, wait_id, SQ__NEVER) : SQ__WITHDRAWN;
    }
    sq__store_relaxed(&self->idle, 0);
    if (self->is_kept) {
        be_kept_no_longer(self);
    }
    return outcome == SQ__GRANTED ? self->own : outcome == SQ__REFUSED ? self->other : NULL;
}

void sq__cached_thread_main(void *argument) {
    sq__client_t *client = argument;
    const uint32_t process = sq__process();
    sq__cached_thread_t self = { .token = client->token, .start = client->start, .own = client };
    sq__wait_id_t wait_id = client->wait_id;
    sq__mutex_lock(&sq__cache.lock);
    SQ__LIST_APPEND(sq__cache.threads_end, &self);
    sq__token_wait_in(self.token, &self);
    sq__mutex_unlock(&sq__cache.lock);
    while ((client = idle(&self, wait_id)) != NULL) {
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
