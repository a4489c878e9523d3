#include "platform/program.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int sq__process_id(void) { return (int)getpid(); }

int sq__program_at_exit(void (*function)(void)) { return atexit(function) == 0 ? 0 : ENOMEM; }

size_t sq__program_folder(char *path, size_t size) {
    if (getcwd(path, size - 1) == NULL || path[0] != '/') { /* "(unreachable)/...": the folder is outside of the process's root */
        return 0;
    }
    size_t length = strlen(path);
    if (path[length - 1] != '/') {
        strcpy(path + length, "/");
        length += 1;
    }
    return length;
}

/* In the child of a fork the dynamic linker's lock stays taken forever if another thread was in dl_iterate_phdr (glibc 2.36). */
sq__mutex_t sq__code_lock = SQ__MUTEX_INIT;
