#include "thread/owner.h"

#include "platform/memory.h"

#include <stddef.h>

sq__owner_t *sq__owner_create(void) {
    sq__owner_t *owner = sq__memory(sizeof *owner);
    if (owner != NULL) {
        sq__store_relaxed(&owner->references, 1);
        sq__store_relaxed(&owner->has_ended, false);
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
