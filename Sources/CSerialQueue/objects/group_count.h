/* group_count.h: counting a group's members to zero, and what happens then. group_record.h has the design. */
#ifndef SQ__OBJECTS_GROUP_COUNT_H
#define SQ__OBJECTS_GROUP_COUNT_H

#include "objects/group_record.h"

/* Frees it and its member counts; or leaves that to a submitter that still uses them (member_count.h). No reference, member or NOTIFIES is left. */
void sq__group_dispose(sq_group_t *group);

/* Submits the notifications that are due. The caller has set NOTIFIES. The group may be freed on return. */
void sq__group_submit_due(void *group);

/* Counts one member count less. The group may be freed on return. */
void sq__group_leave_count(sq_group_t *group);

#endif
