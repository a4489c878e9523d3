#include "thread/self.h"

#include "platform/memory.h"
#include "platform/mutex.h"
#include "platform/peek.h"
#include "thread/process.h"

SQ__THREAD_LOCAL sq__self_t sq__self_record = { .frame = SQ__UNLISTED };

static sq__mutex_t lock = SQ__MUTEX_INIT;
static sq__self_t *listed; /* under the lock */

static void unlist(sq__self_t *self) {
    sq__mutex_lock(&lock);
    if (self->link != NULL) {
        *self->link = self->next;
        if (self->next != NULL) {
            self->next->link = self->link;
        }
        self->link = NULL;
    }
    sq__mutex_unlock(&lock);
}

static void self_end(sq__exit_t *exit) {
    (void)exit;
    sq__self_t *self = sq__self();
    self->ended = true;
    unlist(self);
    if (self->token != NULL) {
        sq__token_recycle(self->token);
        self->token = NULL;
    }
    sq__memory_free(self->report);
    self->report = NULL;
    if (self->owner != NULL) {
        sq__owner_end(self->owner);
        self->owner = NULL;
    }
    if (self->recorder != NULL) {
        self->recorder->call(self->recorder);
        self->recorder = NULL;
    }
}

/* False: nothing may be kept in the record, because the exit handler would not clean it up. */
static bool will_end_cleanly(sq__self_t *self) {
    if (self->ended) {
        return false;
    }
    if (self->exit.call == NULL) {
        self->exit.call = self_end;
        if (sq__thread_at_exit(&self->exit) != 0) {
            self->exit.call = NULL;
            return false;
        }
    }
    return true;
}

void sq__self_enlist(void) {
    sq__self_t *self = sq__self();
    self->frame = NULL;
    if (!will_end_cleanly(self)) {
        return; /* it could not be taken from the list when the thread ends */
    }
    self->thread_id = sq__thread_id();
    sq__mutex_lock(&lock);
    self->next = listed;
    self->link = &listed;
    if (self->next != NULL) {
        self->next->link = &self->next;
    }
    listed = self;
    sq__mutex_unlock(&lock);
}

uint32_t sq__self_number_new(void) {
    static SQ__ATOMIC(uint32_t) last;
    uint32_t number = sq__add_relaxed(&last, 1) + 1;
    sq__self()->number = number != 0 ? number : 1;
    return sq__self()->number;
}

bool sq__self_visit(sq__patience_t *patience, bool (*visit)(void *context, const sq__self_t *at, const sq__self_t *copy), void *context) {
    sq__self_t copy;
    bool is_locked = sq__mutex_lock_patiently(&lock, patience);
    const sq__self_t *self = listed;
    /* Without the lock the list may change: then the walk ends somewhere, at the latest with `visit`. */
    while (self != NULL && sq__peek(self, &copy, sizeof copy) && visit(context, self, &copy)) {
        self = copy.next;
    }
    if (is_locked) {
        sq__mutex_unlock(&lock);
    }
    return is_locked;
}

sq__token_t *sq__self_token(void) {
    sq__self_t *self = sq__self_listed();
    if (self->token != NULL) {
        return self->token;
    }
    sq__token_t *token = sq__token_acquire();
    if (token != NULL && will_end_cleanly(self)) {
        self->token = token;
    }
    return token;
}

void sq__self_wait_over(sq__token_t *token) {
    if (token != sq__self()->token) {
        sq__token_recycle(token);
    }
}

static void take_lock(void) { sq__mutex_lock(&lock); }

/* In the child there is only the thread that forked. Its token is retired, like all tokens from before the fork. The list of tokens is
 * still locked, because its rank is lower. */
static void release_lock(bool in_child) {
    sq__self_t *self = sq__self();
    if (in_child && self->token != NULL) {
        sq__token_recycle_locked(self->token);
        self->token = NULL;
    }
    if (in_child) {
        listed = self->link != NULL ? self : NULL;
        self->next = NULL;
        self->link = listed != NULL ? &listed : NULL;
        self->thread_id = sq__thread_id();
    }
    sq__mutex_unlock(&lock);
}

static __attribute__((constructor)) void around_fork(void) {
    sq__process_around_fork(SQ__RANK_SELF, take_lock, release_lock);
}

sq__owner_t *sq__self_owner(void) {
    sq__self_t *self = sq__self();
    if (self->owner == NULL && will_end_cleanly(self)) {
        self->owner = sq__owner_create();
    }
    return self->owner;
}

char *sq__self_report(size_t bytes) {
    sq__self_t *self = sq__self();
    if (self->report == NULL && will_end_cleanly(self)) {
        self->report = sq__memory(bytes);
        if (self->report != NULL) {
            self->report[0] = '\0'; /* it may be read before there is anything to report */
        }
    }
    return self->report;
}

bool sq__self_record_with(sq__exit_t *recorder) {
    if (!will_end_cleanly(sq__self())) {
        return false;
    }
    sq__self()->recorder = recorder;
    return true;
}
