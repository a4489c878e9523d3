/* model_objects.c: what items, groups and their notifications are to do, from the public headers. */
#include "model.h"

#include <string.h>

typedef struct notice {
    int owner, queue, id;
} notice_t;

model_item_t model_items[OPERATIONS];
model_group_t model_groups[OBJECTS];
int model_permits[OBJECTS];
static notice_t notices[OPERATIONS]; /* in the order of registration */
static int notice_count;

void model_reset_many(void) {
    memset(model_items, 0, sizeof model_items);
    memset(model_groups, 0, sizeof model_groups);
    for (int i = 0; i < OBJECTS; i += 1) {
        model_permits[i] = i;
    }
    notice_count = 0;
}

int model_members(int group) {
    int members = model_groups[group].entered;
    for (int queue = 0; queue < QUEUES; queue += 1) {
        members += model_groups[group].members[queue];
    }
    return members;
}

/* It is submitted now; a queue that is shut down takes it no more, and its discard function is called. */
static void submit(const notice_t *notice) {
    model_queue_t *queue = &model_queues[notice->queue];
    if (!queue->closed) {
        model_accept(queue, notice->id, DUE_TASK);
        queue->notices -= 1;
        model_look_for_abandonment(queue);
    }
}

static void event_happens(int owner) {
    for (int i = 0; i < notice_count; i += 1) {
        if (notices[i].owner == owner && model_fates[notices[i].id] == PENDING) {
            submit(&notices[i]);
            notices[i].owner = -1;
        }
    }
}

void model_member_leaves(int group, int *count) {
    *count -= 1;
    if (model_members(group) == 0) {
        model_groups[group].zeros += 1;
        event_happens(group);
    }
}

void model_item_is_over(int id) {
    model_items[id].is_over = true;
    event_happens(ITEM_OWNER + id);
}

void model_is_undelayed(model_queue_t *queue, int id) {
    model_fates[id] = WITHDRAWN;
    queue->delayed -= 1;
    model_look_for_abandonment(queue);
}

void model_notify(int owner, bool has_happened, int queue, int id) {
    model_fates[id] = PENDING;
    model_queues[queue].notices += 1;
    notices[notice_count++] = (notice_t){ owner, queue, id };
    if (has_happened) {
        event_happens(owner);
    }
}

void model_unnotify(int id, bool has_happened) {
    notice_count -= 1;
    if (notices[notice_count].id != id) {
        model_fails(id, "another notification was registered during one that was refused");
    }
    model_queue_t *queue = &model_queues[notices[notice_count].queue];
    if (has_happened) {
        model_take_back(queue, id, REJECTED);
        queue->rejected -= 1; /* the queue has not seen it */
    } else {
        queue->notices -= 1;
    }
    model_fates[id] = REJECTED;
}

void model_notice_is_discarded(int id) {
    int i = 0;
    while (i < notice_count && notices[i].id != id) {
        i += 1;
    }
    if (i == notice_count || model_fates[id] != PENDING || notices[i].owner >= 0) {
        model_fails(id, "a notification is discarded, its fate is %d, its event has not happened", model_fates[id]);
    }
    model_fates[id] = DISCARDED;
    model_queues[notices[i].queue].notices -= 1;
    model_look_for_abandonment(&model_queues[notices[i].queue]);
}
