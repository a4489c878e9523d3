#include "platform/service.h"

#if !SQ__LINUX

void sq__service_apply(sq_service_t service) { (void)service; }

void sq__service_read(sq_pool_granted_t *granted) { granted->complete = granted->service == SQ_SERVICE_DEFAULT; }

#endif
