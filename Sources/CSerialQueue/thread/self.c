#include "thread/self.h"

#include "platform/list.h"
#include "platform/memory.h"
#include "platform/peek.h"
#include "thread/process.h"

SQ__THREAD_LOCAL sq__self_t sq__self_record = { .frame = SQ__UNLISTED };

static sq__mutex_t lock = SQ__MUTEX_INIT;
static sq__self_t *listed; /* under the lock */

static void unlist(sq__self_t *self) {
    sq__mutex_lock(&lock);
    if (self->link != NULL) {
        SQ__LIST_REMOVE(self);
    }
    sq__mutex_unlock(&lock);
}

/* The thread ends inside a task or inside the function of a once. On a stack of the program's own, addresses say nothing. */
static bool was_left(const sq__self_t *self) {
    bool in_task = self->frame != NULL && self->frame != SQ__UNLISTED;
    return self->explored == NULL && (in_task || self->duty != NULL) &&
           sq__thread_owns_stack(in_task ? (const void *)self->frame : self->duty);
}

/* T. The thread's exit handler: reports a thread that was left, takes it off the list, and releases what the record keeps. */
static void self_end(sq__exit_t *exit) {
    (void)exit;
    sq__self_t *self = sq__self();
    if (was_left(self)) {
        sq__thread_left();
    }
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

/* T. True: the exit handler is registered. False: nothing may be kept in the record, because the handler would not clean it up: it has run, or there
 * is no memory. */
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

/* T. Called once, while the frame is SQ__UNLISTED. */
void sq__self_enlist(void) {
    sq__self_t *self = sq__self();
    self->frame = NULL;
    if (!will_end_cleanly(self)) {
        return; /* it could not be taken from the list when the thread ends */
    }
    (void)sq__self_thread_id();
    sq__mutex_lock(&lock);
    SQ__LIST_PUT(listed, self);
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

/* What a thread of the parent has alone: its record, which the child still has a copy of, is what refers to it. */
static void forget_thread(const sq__self_t *other) {
    sq__memory_free(other->report);
    if (other->owner != NULL) {
        sq__owner_end(other->owner);
    }
}

/* In the child, with the lock: only the thread that forked is there. Its token is retired, like all tokens from before the fork. The list of tokens
 * is still locked, because its rank is lower. */
static void forget_threads(void) {
    sq__self_t *self = sq__self();
    for (const sq__self_t *other = listed; other != NULL; other = other->next) {
        if (other != self) {
            forget_thread(other);
        }
    }
    if (self->token != NULL) {
        sq__token_recycle_locked(self->token);
        self->token = NULL;
    }
    listed = self->link != NULL ? self : NULL;
    self->next = NULL;
    self->link = listed != NULL ? &listed : NULL;
    self->thread_id = sq__thread_id();
    self->awaits = NULL;
}

SQ__AROUND_FORK(SQ__RANK_SELF, .lock = &lock, .in_child = forget_threads)

sq__owner_t *sq__self_owner(void) {
    sq__self_t *self = sq__self_listed();
    if (self->owner == NULL && will_end_cleanly(self)) {
        self->owner = sq__owner_create();
    } else if (self->owner != NULL) {
        sq__store_relaxed(&self->owner->thread_id, sq__self_thread_id()); /* in the child of a fork the thread has another number */
    }
    return self->owner;
}

char *sq__self_report(size_t bytes) {
    sq__self_t *self = sq__self_listed();
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

const sq__layout_t sq__self_layout[] = {
    SQ__LAYOUT_LIST(listed, "threads"),
    SQ__LAYOUT_FIELD(sq__self_t, frame),
    SQ__LAYOUT_FIELD(sq__self_t, wait),
    SQ__LAYOUT_FIELD(sq__self_t, thread_id),
    SQ__LAYOUT_FIELD(sq__self_t, next),
    SQ__LAYOUT_FIELD(sq__owner_t, has_ended),
    { .name = "" },
};
