/* container.h: from a member of a struct to the struct. */
#pragma once

#include <stddef.h>

/* The `type` whose member this pointer points to. */
#define SQ__CONTAINER(pointer, type, member) ((type *)((char *)(pointer) - offsetof(type, member)))
