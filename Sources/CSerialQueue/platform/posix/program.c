#include "platform/program.h"

#if !SQ__LINUX

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

const char *sq__environment(const char *name) {
#if defined(__APPLE__) || defined(__FreeBSD__)
    bool has_more_rights = issetugid() != 0; /* also if the program has dropped them since */
#else
    bool has_more_rights = getuid() != geteuid() || getgid() != getegid();
#endif
    return has_more_rights ? NULL : getenv(name);
}

size_t sq__code_thread_locals(void) { return 0; } /* elsewhere they are not in the stack */

bool sq__code_find(const void *address, char *path, size_t size, uint64_t *offset) {
    Dl_info found;
    sq__mutex_lock(&sq__code_lock);
    bool is_found = dladdr(address, &found) != 0 && found.dli_fname != NULL && found.dli_fname[0] != '\0';
    if (is_found) {
        snprintf(path, size, "%s", found.dli_fname);
        *offset = (uintptr_t)address - (uintptr_t)found.dli_fbase;
    }
    sq__mutex_unlock(&sq__code_lock);
    return is_found;
}

#endif
