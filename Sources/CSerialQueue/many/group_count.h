/* group_count.h: counting a group's members to zero, and what happens then. group_record.h has the design. */
#ifndef SQ__MANY_GROUP_COUNT_H
#define SQ__MANY_GROUP_COUNT_H

#include "many/group_record.h"

/* Frees it and its ties; or leaves that to a submitter that still uses them (tie.h). No reference, member or NOTIFIES is left. */
void sq__group_dispose(sq_group_t *group);

/* Submits the notifications that are due. The caller has set NOTIFIES. The group may be freed on return. */
void sq__group_submit_due(void *group);

/* Counts one tie less. The group may be freed on return. */
void sq__group_leave_tie(sq_group_t *group);

#endif
