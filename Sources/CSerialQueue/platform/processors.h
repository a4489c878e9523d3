/* processors.h: how many processors there are for this process. */
#pragma once

#include "platform/system.h"

/* How many processors this process may use, by the main thread's affinity and the control group's quota. Reads several files. */
unsigned sq__processor_count(void);

/* The same, as it was at the first call. Fast. */
unsigned sq__processors_known(void);

/* `limit`, reduced by the quotas of the control group and of its parents. On Linux. For sq__processor_count, and tests. */
unsigned sq__processors_within(const char *root, const char *group, unsigned limit);
