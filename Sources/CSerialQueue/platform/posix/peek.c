#include "platform/peek.h"

#if !SQ__LINUX

#include <stdio.h>

bool sq__peek(const void *address, void *copy, size_t bytes) { return address != NULL && sq__peek_through_pipe(address, copy, bytes); }

void sq__thread_name_of(uint64_t id, char *name, size_t size) {
    (void)id;
    snprintf(name, size, "?");
}

#endif
