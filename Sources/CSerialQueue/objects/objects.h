/* objects.h: what a group or an item waits for, for a dump. */
#pragma once

#include "include/sq_types.h"
#include "state/state.h"

#include <stddef.h>

enum { SQ__PEEK_QUEUES = 8 };

typedef struct sq__object_view {
    uint64_t entered;  /* of a group: members that sq_group_enter added */
    size_t queues;     /* with members of the group, or the one that has the item; `queue` has the first SQ__PEEK_QUEUES of them */
    struct {
        const sq_queue_t *at; /* may have been freed by now */
        uint64_t members;
    } queue[SQ__PEEK_QUEUES];
} sq__object_view_t;

/* Peeks at the group or item, without a lock: it may change or be freed meanwhile. False: it cannot be read, and the view is empty. */
bool sq__group_peek(const void *group, sq__object_view_t *view);
bool sq__item_peek(const void *item, sq__object_view_t *view);
