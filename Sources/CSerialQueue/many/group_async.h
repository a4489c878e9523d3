/* group_async.h: the task of a member, for reports. */
#ifndef SQ__MANY_GROUP_ASYNC_H
#define SQ__MANY_GROUP_ASYNC_H

#include "state/work.h"

/* The pair of a group's member that was submitted as one; NULL: it was not. */
const sq__pair_t *sq__group_pair(const sq__member_task_t *member);

#endif
