#include "many/waiters.h"

void sq__many_waiters_append(sq__many_waiters_t *list, sq__many_waiter_t *waiter) {
    if (list->first == NULL) {
        list->end = &list->first;
    }
    waiter->next = NULL;
    waiter->link = list->end;
    *list->end = waiter;
    list->end = &waiter->next;
}

void sq__many_waiters_remove(sq__many_waiters_t *list, sq__many_waiter_t *waiter) {
    if (waiter->link == NULL) {
        return;
    }
    *waiter->link = waiter->next;
    if (waiter->next != NULL) {
        waiter->next->link = waiter->link;
    } else {
        list->end = waiter->link;
    }
    waiter->link = NULL;
}

sq__many_waiter_t *sq__many_waiters_pop(sq__many_waiters_t *list) {
    sq__many_waiter_t *waiter = list->first;
    if (waiter != NULL) {
        sq__many_waiters_remove(list, waiter);
    }
    return waiter;
}

void sq__many_waiters_grant(sq__many_waiters_t *list) {
    sq__many_waiters_t rest = *list;
    *list = (sq__many_waiters_t){ 0 };
    for (sq__many_waiter_t *next, *waiter = rest.first; waiter != NULL; waiter = next) {
        next = waiter->next;
        waiter->link = NULL;
        sq__token_grant(waiter->wait.token, waiter->wait.wait_id);
    }
}
