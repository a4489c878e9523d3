#include "platform/processors.h"

#if !SQ__LINUX

#include <unistd.h>

unsigned sq__processor_count(void) {
    long online = sysconf(_SC_NPROCESSORS_ONLN);
    return online > 0 ? (unsigned)online : 1;
}

#endif
