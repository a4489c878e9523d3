/* group.h: a group's members, counted to zero, and what waits for that. group_record.h has the design. */
#pragma once

#include "objects/group_record.h"

/* With no lock held, when no reference, member or NOTIFIES is left: frees the group and its member counts; or leaves that to a submitter that still
 * uses them (member_count.h). The caller must not use the group afterwards. */
void sq__group_dispose(sq_group_t *group);

/* With no lock held, when a member count has no members any more: subtracts it from the group's count. If the group then has no members, ends the
 * waits and submits the notifications. The group may be freed on return. */
void sq__group_leave_count(sq_group_t *group);

/* Loads the count. True: it has members. */
bool sq__group_has_members_now(sq_group_t *group, uint64_t *count);

/* L. True: the group has members, and the last of them will find the flags. False: it has none, what they did is visible, and no flag was set. */
bool sq__group_flag(sq_group_t *group, uint64_t flags);
