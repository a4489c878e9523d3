#include "objects/object_lock.h"

#include "thread/locks.h"
#include "thread/process.h"

static sq__locks_t locks = SQ__LOCKS_INIT;

void sq__object_lock(const void *object) { sq__locks_take(&locks, object); }
void sq__object_unlock(const void *object) { sq__locks_release(&locks, object); }

SQ__AROUND_FORK(SQ__RANK_OBJECTS, .locks = &locks)
