#include "objects/waiters.h"

#include "objects/object_lock.h"
#include "platform/container.h"
#include "platform/list.h"

static void append(sq__object_waiters_t *list, sq_await_entry_t *entry) {
    if (list->first == NULL) {
        list->end = &list->first;
    }
    SQ__LIST_APPEND(list->end, entry);
}

/* L. Removes the entry. False: it is not on the list. */
static bool take_off(sq__object_waiters_t *list, sq_await_entry_t *entry) {
    if (entry->link == NULL) {
        return false;
    }
    SQ__LIST_REMOVE_FROM(list->end, entry);
    entry->next = NULL;
    return true;
}

int sq__object_wait_and_unlock(const void *object, sq__object_waiters_t *list, sq__object_waiter_t *waiter, bool waits, sq_time_t deadline) {
    if (waits) {
        waiter->entry.await = NULL;
        append(list, &waiter->entry);
    }
    sq__object_unlock(object);
    if (!waits) {
        sq__wait_cancel(&waiter->wait);
        return 0;
    }
    int error = sq__wait_end(&waiter->wait, deadline);
    if (error) {
        sq__object_lock(object);
        take_off(list, &waiter->entry);
        sq__object_unlock(object);
    }
    return error;
}

void sq__object_waiters_append_await(sq__object_waiters_t *list, sq_await_t *await) {
    await->reserved.await = await;
    append(list, &await->reserved);
}

bool sq__object_waiters_remove_await(sq__object_waiters_t *list, sq_await_t *await) { return take_off(list, &await->reserved); }

sq_await_entry_t *sq__object_waiters_pop(sq__object_waiters_t *list) {
    sq_await_entry_t *entry = list->first;
    if (entry != NULL) {
        take_off(list, entry);
    }
    return entry;
}

bool sq__object_entry_grant(sq_await_entry_t *entry) {
    if (entry->await != NULL) {
        return true;
    }
    const sq__object_waiter_t *waiter = SQ__CONTAINER(entry, sq__object_waiter_t, entry);
    return sq__token_grant(waiter->wait.token, waiter->wait.wait_id);
}

sq_await_entry_t *sq__object_waiters_grant(sq__object_waiters_t *list) {
    sq_await_entry_t *awaits = NULL, **end = &awaits;
    sq__object_waiters_t rest = *list;
    *list = (sq__object_waiters_t){ 0 };
    for (sq_await_entry_t *next, *entry = rest.first; entry != NULL; entry = next) {
        next = entry->next;
        entry->link = NULL;
        if (entry->await != NULL) {
            entry->next = NULL;
            *end = entry;
            end = &entry->next;
        } else {
            sq__object_entry_grant(entry);
        }
    }
    return awaits;
}
