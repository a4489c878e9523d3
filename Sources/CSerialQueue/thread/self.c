#include "thread/self.h"

#include "platform/memory.h"
#include "thread/process.h"

SQ__THREAD_LOCAL sq__self_t sq__self_record;

static void self_end(sq__exit_t *exit) {
    (void)exit;
    sq__self_t *self = sq__self();
    self->ended = true;
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

sq__token_t *sq__self_token(void) {
    sq__self_t *self = sq__self();
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

/* In the child, the forking thread's token is retired with the others from before the fork. The list of tokens is still
 * locked: its rank is lower. */
static void forget_token(bool in_child) {
    sq__self_t *self = sq__self();
    if (in_child && self->token != NULL) {
        sq__token_recycle_locked(self->token);
        self->token = NULL;
    }
}

static __attribute__((constructor)) void around_fork(void) {
    sq__process_around_fork(SQ__RANK_SELF, NULL, forget_token);
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
