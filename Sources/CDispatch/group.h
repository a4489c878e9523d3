/* group.h: a group of libdispatch's kind. */
#ifndef SQ_DISPATCH_GROUP_INTERNAL_H
#define SQ_DISPATCH_GROUP_INTERNAL_H

#include "record.h"

struct dispatch_group_s {
    struct dispatch_object_s object;
    sq_group_t *core; /* I */
};

/** Waits for a group of the core, as dispatch_group_wait. */
intptr_t sq__dispatch_group_wait(const char *call, sq_group_t *core, dispatch_time_t timeout);

#endif
