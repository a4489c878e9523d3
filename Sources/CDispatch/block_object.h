/* block_object.h: the record of a block object. */
#ifndef SQ_DISPATCH_BLOCK_OBJECT_INTERNAL_H
#define SQ_DISPATCH_BLOCK_OBJECT_INTERNAL_H

#include "block.h"

/* What a block object of dispatch_block_create has. */
struct sq__dispatch_record;
/** Returns the record of a block object; NULL: a plain block. */
struct sq__dispatch_record *sq__dispatch_record_of(const void *block);
/** Returns whether a block object is a barrier. */
bool sq__dispatch_record_is_barrier(const struct sq__dispatch_record *record);
/** Returns the group whose wait is that for the block object. */
sq_group_t *sq__dispatch_record_group(const struct sq__dispatch_record *record);
/** The same of a block that must be one: else the process ends. */
struct sq__dispatch_record *sq__dispatch_need_record(const char *call, const void *block);
/** True: there is nothing to wait for, although a submission that is a member of the group may be pending. */
bool sq__dispatch_record_has_run(const struct sq__dispatch_record *record);

#endif
