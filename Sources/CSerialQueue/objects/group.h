/* group.h: a group's members, counted to zero, and what waits for that. group_record.h has the design. */
#pragma once

#include "objects/group_record.h"

/* Frees it and its member counts; or leaves that to a submitter that still uses them (member_count.h). No reference, member or NOTIFIES is left. */
void sq__group_dispose(sq_group_t *group);

/* Counts one member count less. The group may be freed on return. */
void sq__group_leave_count(sq_group_t *group);

/* Loads the count. True: it has members. */
bool sq__group_has_members_now(sq_group_t *group, uint64_t *count);

/* L. True: the group has members, and the last of them will find the flags. */
bool sq__group_flag(sq_group_t *group, uint64_t flags);
