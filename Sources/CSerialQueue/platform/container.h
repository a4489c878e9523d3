/* container.h: from a member of a struct to the struct. */
#ifndef SQ__PLATFORM_CONTAINER_H
#define SQ__PLATFORM_CONTAINER_H

#include <stddef.h>

/* The `type` whose member this pointer points to. */
#define SQ__CONTAINER(pointer, type, member) ((type *)((char *)(pointer) - offsetof(type, member)))

#endif
