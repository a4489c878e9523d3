/* tie.h: counting the members of a group that are on one queue. tie_record.h has the design. */
#ifndef SQ__MANY_TIE_H
#define SQ__MANY_TIE_H

#include "many/tie_record.h"

/* Before a submission to the queue: counts one more member, which is pending. Returns 0 and *tie, or ENOMEM. */
int sq__tie_begin(sq_group_t *group, const sq_queue_t *queue, sq__tie_t **tie);

/* After the submission was accepted. The member may have released the last reference to the group, which is freed at the earliest now. */
void sq__tie_confirm(sq__tie_t *tie);

/* The same for a work item. A concurrent queue does not count the items that it starts, so none counts as waiting for its turn there. */
void sq__tie_confirm_item(sq__tie_t *tie);

/* After the submission was refused. */
void sq__tie_cancel(sq__tie_t *tie);

/* Counts a member that is over. The group may be freed when this returns. */
void sq__tie_end(sq__tie_t *tie);

/* The same, for a task of kind SQ__MEMBER. Its `members` are also those of a member that has a record of its own. */
sq__member_end_t *sq__tie_member_end(sq__tie_t *tie);

#endif
