#include "thread/owner.h"

#include "platform/memory.h"
#include "platform/mutex.h"
#include "platform/thread.h"
#include "thread/process.h"

#include <stddef.h>

static sq__mutex_t lock = SQ__MUTEX_INIT;

sq__owner_t *sq__owner_create(void) {
    sq__owner_t *owner = sq__memory(sizeof *owner);
    if (owner != NULL) {
        sq__store_relaxed(&owner->thread_id, sq__thread_id());
        sq__store_relaxed(&owner->references, 1);
        sq__store_relaxed(&owner->has_ended, false);
        sq__store_relaxed(&owner->awaits, NULL);
    }
    return owner;
}

void sq__owner_retain(sq__owner_t *owner) { sq__add_relaxed(&owner->references, 1); }

void sq__owner_release(sq__owner_t *owner) {
    /* [reference] release: our use of the record; acquire, if it was the last: everybody's. */
    if (owner != NULL && sq__sub_acq_rel(&owner->references, 1) == 1) {
        sq__memory_free(owner);
    }
}

void sq__owner_end(sq__owner_t *owner) {
    /* [owner] release: what the thread did; pairs with sq__owner_has_ended. */
    sq__store_release(&owner->has_ended, true);
    sq__owner_release(owner);
}

bool sq__owner_has_ended(const sq__owner_t *owner) {
    return sq__load_acquire(&owner->has_ended); /* [owner] acquire: what the thread did before it ended */
}

void sq__owner_await(sq__owner_t *owner, sq__token_t *token) {
    sq__mutex_lock(&lock);
    sq__store_relaxed(&owner->awaits, token);
    sq__mutex_unlock(&lock);
}

/* The hint: an owner looks at the loop after it has set `awaits`, under the loop's lock. So a post that the owner has not seen finds
 * it set. */
void sq__owner_wake(sq__owner_t *owner) {
    if (__builtin_expect(sq__load_relaxed(&owner->awaits) == NULL, 1)) {
        return;
    }
    sq__mutex_lock(&lock);
    sq__token_t *token = sq__load_relaxed(&owner->awaits);
    if (token != NULL) {
        sq__token_wake(token);
    }
    sq__mutex_unlock(&lock);
}

SQ__AROUND_FORK(SQ__RANK_OWNERS, .lock = &lock)
