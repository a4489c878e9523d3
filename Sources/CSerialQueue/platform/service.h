/* service.h: what a thread of a class of service asks the system for, and what the system grants. */
#pragma once

#include "platform/system.h"

#include "include/sq_pool.h"

/* For the calling thread, which has the attributes of the main thread. What the system refuses stays as it is. */
void sq__service_apply(sq_service_t service);

/* What the system uses for the calling thread, which has applied granted->service. */
void sq__service_read(sq_pool_granted_t *granted);
