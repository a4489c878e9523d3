#include "many/waiters.h"

#include "platform/container.h"
#include "platform/unwind.h"

static void append(sq__many_waiters_t *list, sq_await_entry_t *entry) {
    if (list->first == NULL) {
        list->end = &list->first;
    }
    entry->next = NULL;
    entry->link = list->end;
    *list->end = entry;
    list->end = &entry->next;
}

static bool take_off(sq__many_waiters_t *list, sq_await_entry_t *entry) {
    if (entry->link == NULL) {
        return false;
    }
    *entry->link = entry->next;
    if (entry->next != NULL) {
        entry->next->link = entry->link;
    } else {
        list->end = entry->link;
    }
    entry->next = NULL;
    entry->link = NULL;
    return true;
}

void sq__many_waiters_append(sq__many_waiters_t *list, sq__many_waiter_t *waiter) {
    waiter->entry.await = NULL;
    append(list, &waiter->entry);
}

void sq__many_waiters_append_await(sq__many_waiters_t *list, sq_await_t *await) {
    await->reserved.await = await;
    append(list, &await->reserved);
}

void sq__many_waiters_remove(sq__many_waiters_t *list, sq__many_waiter_t *waiter) { take_off(list, &waiter->entry); }

bool sq__many_waiters_remove_await(sq__many_waiters_t *list, sq_await_t *await) { return take_off(list, &await->reserved); }

sq_await_entry_t *sq__many_waiters_pop(sq__many_waiters_t *list) {
    sq_await_entry_t *entry = list->first;
    if (entry != NULL) {
        take_off(list, entry);
    }
    return entry;
}

bool sq__many_entry_grant(sq_await_entry_t *entry) {
    if (entry->await != NULL) {
        return true;
    }
    const sq__many_waiter_t *waiter = SQ__CONTAINER(entry, sq__many_waiter_t, entry);
    return sq__token_grant(waiter->wait.token, waiter->wait.wait_id);
}

sq_await_entry_t *sq__many_waiters_grant(sq__many_waiters_t *list) {
    sq_await_entry_t *awaits = NULL, **end = &awaits;
    sq__many_waiters_t rest = *list;
    *list = (sq__many_waiters_t){ 0 };
    for (sq_await_entry_t *next, *entry = rest.first; entry != NULL; entry = next) {
        next = entry->next;
        entry->link = NULL;
        if (entry->await != NULL) {
            entry->next = NULL;
            *end = entry;
            end = &entry->next;
        } else {
            sq__many_entry_grant(entry);
        }
    }
    return awaits;
}

void sq__many_awaits_end(sq_await_entry_t *first) {
    SQ__NOBODY_UNWINDS_THROUGH;
    for (sq_await_entry_t *next, *entry = first; entry != NULL; entry = next) {
        next = entry->next; /* the call may free the await */
        entry->await->ended(entry->await);
    }
}
