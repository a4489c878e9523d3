/* member_count.h: counting the members of a group that are on one queue. member_count_record.h has the design. */
#pragma once

#include "objects/member_count_record.h"

/* Before a submission to the queue: counts one more member, which is pending until one of the next three. Returns 0 and *member_count, or ENOMEM. The
 * caller has a reference to the group, and no lock. */
int sq__member_count_begin(sq_group_t *group, sq_queue_t *queue, sq__member_count_t **member_count);

/* After the submission was accepted, with no lock held: the member is no longer pending. The member may have released the last reference to the
 * group, which is freed at the earliest now. */
void sq__member_count_confirm(sq__member_count_t *member_count);

/* The same for a work item. A concurrent queue does not count the items that it starts, so none counts as waiting for its turn there. */
void sq__member_count_confirm_item(sq__member_count_t *member_count);

/* After the submission was refused: the member no longer counts. */
void sq__member_count_cancel(sq__member_count_t *member_count);

/* Counts a member that is over. With no lock held. The group may be freed when this returns. */
void sq__member_count_end(sq__member_count_t *member_count);
