/* group.h: what waits for a group needs. group_record.h has the design. */
#ifndef SQ__OBJECTS_GROUP_H
#define SQ__OBJECTS_GROUP_H

#include "objects/group_record.h"

/* Loads the count. True: it has members. */
bool sq__group_has_members_now(sq_group_t *group, uint64_t *count);

/* L. True: the group has members, and the last of them will find the flags. */
bool sq__group_flag(sq_group_t *group, uint64_t flags);

#endif
