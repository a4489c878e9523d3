#include "objects/waiters.h"

#include "objects/object_lock.h"
#include "platform/container.h"
#include "platform/list.h"
#include "thread/process.h"

#include <errno.h>

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
        append(list, &waiter->entry);
    }
    sq__object_unlock(object);
    if (!waits) {
        sq__wait_cancel(&waiter->wait);
        return 0;
    }
    int error = sq__wait_end(&waiter->wait, deadline);
    if (error && error != ESTALE) { /* else a task that it ran has forked, and this is the child: see sq__object_waiters_remove_await */
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

/* In the child of a fork the entries next to it may be on stacks of the parent's threads, which threads of the child get. Nobody reads the list there. */
bool sq__object_waiters_remove_await(sq__object_waiters_t *list, sq_await_t *await, uint32_t process) {
    bool is_here = process == sq__process(), is_listed = await->reserved.link != NULL;
    if (is_here) {
        take_off(list, &await->reserved);
    }
    await->reserved.link = NULL;
    return is_listed;
}

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
