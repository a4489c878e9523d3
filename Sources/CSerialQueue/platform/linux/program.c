#include "platform/program.h"

#if SQ__LINUX

#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

const char *sq__environment(const char *name) { return secure_getenv(name); }

typedef struct found_code {
    uintptr_t address;
    char *path; /* "": the program itself has no name there */
    size_t size;
    uint64_t offset;
} found_code_t;

static int look_at_object(struct dl_phdr_info *object, size_t size, void *context) {
    found_code_t *found = context;
    (void)size;
    for (unsigned i = 0; i < object->dlpi_phnum; i += 1) {
        uintptr_t begin = object->dlpi_addr + object->dlpi_phdr[i].p_vaddr;
        if (object->dlpi_phdr[i].p_type == PT_LOAD && found->address - begin < object->dlpi_phdr[i].p_memsz) {
            /* Here: another thread may unload the library afterwards, and its name with it. */
            snprintf(found->path, found->size, "%s", object->dlpi_name != NULL ? object->dlpi_name : "");
            found->offset = found->address - object->dlpi_addr;
            return 1;
        }
    }
    return 0;
}

static int add_thread_locals(struct dl_phdr_info *object, size_t size, void *sum) {
    (void)size;
    for (unsigned i = 0; i < object->dlpi_phnum; i += 1) {
        if (object->dlpi_phdr[i].p_type == PT_TLS) {
            *(size_t *)sum += object->dlpi_phdr[i].p_memsz + object->dlpi_phdr[i].p_align;
        }
    }
    return 0;
}

size_t sq__code_thread_locals(void) {
    size_t sum = 0;
    sq__mutex_lock(&sq__code_lock);
    (void)dl_iterate_phdr(add_thread_locals, &sum);
    sq__mutex_unlock(&sq__code_lock);
    return sum;
}

bool sq__code_find(const void *address, char *path, size_t size, uint64_t *offset) {
    found_code_t found = { .address = (uintptr_t)address, .path = path, .size = size };
    sq__mutex_lock(&sq__code_lock);
    bool is_found = dl_iterate_phdr(look_at_object, &found) != 0;
    sq__mutex_unlock(&sq__code_lock);
    if (!is_found) {
        return false;
    }
    *offset = found.offset;
    if (path[0] != '\0') {
        return true;
    }
    ssize_t length = readlink("/proc/self/exe", path, size - 1);
    if (length <= 0) { /* the first thread has ended, and with it what the system knows by the process's number */
        length = readlink("/proc/thread-self/exe", path, size - 1);
    }
    path[length > 0 ? length : 0] = '\0';
    return length > 0;
}

#endif
