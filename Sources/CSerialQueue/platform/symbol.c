#ifndef _GNU_SOURCE
#define _GNU_SOURCE 1 /* dladdr */
#endif

#include "platform/symbol.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct file {
    const unsigned char *bytes;
    size_t size;
} file_t;

static bool map_file(file_t *file, const char *path) {
    struct stat status;
    int descriptor = open(path, O_RDONLY | O_CLOEXEC);
    if (descriptor < 0) {
        return false;
    }
    void *bytes = MAP_FAILED;
    if (fstat(descriptor, &status) == 0 && status.st_size > 0) {
        file->size = (size_t)status.st_size;
        bytes = mmap(NULL, file->size, PROT_READ, MAP_PRIVATE, descriptor, 0);
    }
    close(descriptor);
    file->bytes = bytes;
    return bytes != MAP_FAILED;
}

/* NULL: the file does not have that many bytes there. */
static const void *bytes_at(const file_t *file, uint64_t offset, uint64_t size) {
    return offset <= file->size && size <= file->size - offset ? file->bytes + offset : NULL;
}

static const ElfW(Shdr) *section_at(const file_t *file, uint64_t index) {
    const ElfW(Ehdr) *header = bytes_at(file, 0, sizeof *header);
    if (header == NULL || memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 || header->e_shentsize != sizeof(ElfW(Shdr))
        || index >= header->e_shnum) {
        return NULL;
    }
    return bytes_at(file, header->e_shoff + index * sizeof(ElfW(Shdr)), sizeof(ElfW(Shdr)));
}

static bool copy_name(const file_t *file, const ElfW(Shdr) *strings, uint32_t at, char *name, size_t size) {
    const char *text = strings != NULL && at < strings->sh_size ? bytes_at(file, strings->sh_offset, strings->sh_size) : NULL;
    if (text == NULL) {
        return false;
    }
    size_t length = strnlen(text + at, (size_t)(strings->sh_size - at));
    length = length < size ? length : size - 1;
    memcpy(name, text + at, length);
    name[length] = '\0';
    return true;
}

/* Looks in the symbol table, which has static functions, too. `address`: in the file. */
static bool find(const file_t *file, uint64_t address, char *name, size_t size) {
    const ElfW(Shdr) *section;
    for (uint64_t index = 0; (section = section_at(file, index)) != NULL; index += 1) {
        const ElfW(Sym) *symbols = section->sh_type == SHT_SYMTAB ? bytes_at(file, section->sh_offset, section->sh_size) : NULL;
        for (uint64_t i = 0; symbols != NULL && i < section->sh_size / sizeof *symbols; i += 1) {
            if ((symbols[i].st_info & 0xF) == STT_FUNC && symbols[i].st_value == address) {
                return copy_name(file, section_at(file, section->sh_link), symbols[i].st_name, name, size);
            }
        }
    }
    return false;
}

void sq__symbol_name(void (*function)(void), char *name, size_t size) {
    Dl_info info;
    file_t file;
    uintptr_t address = (uintptr_t)function;
    /* ISO C has no conversion from a function pointer to void *. */
    if (dladdr((const void *)address, &info) == 0 || info.dli_fname == NULL) {
        snprintf(name, size, "0x%llx", (unsigned long long)address);
        return;
    }
    uintptr_t offset = address - (uintptr_t)info.dli_fbase;
    const ElfW(Ehdr) *header = info.dli_fbase;
    uint64_t in_file = header->e_type == ET_EXEC ? address : offset;
    if (info.dli_sname != NULL && info.dli_saddr == (const void *)address) {
        snprintf(name, size, "%s", info.dli_sname);
        return;
    }
    bool found = false;
    if (map_file(&file, strchr(info.dli_fname, '/') != NULL ? info.dli_fname : "/proc/self/exe")) {
        found = find(&file, in_file, name, size);
        munmap((void *)(uintptr_t)file.bytes, file.size);
    }
    if (!found) {
        const char *base = strrchr(info.dli_fname, '/');
        snprintf(name, size, "%s+0x%llx", base != NULL ? base + 1 : info.dli_fname, (unsigned long long)offset);
    }
}
