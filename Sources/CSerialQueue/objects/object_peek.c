/* object_peek.c: what a group or an item waits for, read for a dump. */
#include "objects/objects.h"

#include "objects/item_record.h"
#include "objects/member_count_record.h"
#include "platform/peek.h"

enum { MOST_LISTS = 1 << 16, MOST_TIES = 1 << 16 };

/* Adds the queues of a list of member counts to the view, if they have members. The list may change meanwhile, so each member count is peeked at. */
static void peek_at_counts(const sq__member_count_t *member_count, sq__object_view_t *view) {
    struct sq__member_count copy;
    for (unsigned i = 0; member_count != NULL && i < MOST_TIES && sq__peek(member_count, &copy, sizeof copy); i += 1) {
        uint64_t members = (uint32_t)sq__load_relaxed(&copy.members);
        if (members > 0) {
            if (view->queues < SQ__PEEK_QUEUES) {
                view->queue[view->queues].at = sq__load_relaxed(&copy.queue);
                view->queue[view->queues].members = members;
            }
            view->queues += 1;
        }
        member_count = copy.next;
    }
}

bool sq__group_peek(const void *group, sq__object_view_t *view) {
    struct sq_group copy;
    sq__member_count_table_t table;
    *view = (sq__object_view_t){ .entered = 0 };
    if (!sq__peek(group, &copy, sizeof copy)) {
        return false;
    }
    view->entered = (sq__load_relaxed(&copy.count) & (SQ__GROUP_TIE - 1)) / SQ__GROUP_ENTERED;
    const sq__member_count_table_t *at = sq__load_relaxed(&copy.table);
    for (size_t i = 0; at != NULL && sq__peek(at, &table, sizeof table) && i <= table.mask && i < MOST_LISTS; i += 1) {
        sq__member_count_t *first;
        if (sq__peek(sq__peek_at(at, offsetof(sq__member_count_table_t, lists) + i * sizeof first), &first, sizeof first)) {
            peek_at_counts(first, view);
        }
    }
    return true;
}

bool sq__item_peek(const void *item, sq__object_view_t *view) {
    struct sq_item copy;
    *view = (sq__object_view_t){ .entered = 0 };
    if (!sq__peek(item, &copy, sizeof copy)) {
        return false;
    }
    uint32_t state = sq__load_relaxed(&copy.state);
    if (state & SQ__ITEM_ACCEPTED && !(state & SQ__ITEM_OVER)) {
        view->queues = 1;
        view->queue[0].at = copy.queue;
        view->queue[0].members = 1;
    }
    return true;
}
