#include "platform/symbols.h"

#if SQ__LINUX

#include "platform/peek.h"
#include "platform/quiet.h"

#include <elf.h>
#include <fcntl.h>
#include <inttypes.h>
#include <link.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

typedef ElfW(Ehdr) header_t;
typedef ElfW(Shdr) section_t;
typedef ElfW(Phdr) part_t;
typedef ElfW(Sym) entry_t;

/* A file as it is mapped here, to be read. */
typedef struct file {
    const char *bytes;
    size_t size;
} file_t;

/* A range of a file. NULL: the file has no such range. */
static const void *at(const file_t *file, uint64_t offset, uint64_t bytes) {
    return offset <= file->size && bytes <= file->size - offset ? file->bytes + offset : NULL;
}

/* The address in the file that its byte at this offset is loaded to; 0: it is not loaded as code. */
static uintptr_t address_of(const file_t *file, const header_t *header, uint64_t offset) {
    for (unsigned i = 0; i < header->e_phnum; i += 1) {
        const part_t *part = at(file, header->e_phoff + (uint64_t)i * sizeof *part, sizeof *part);
        if (part != NULL && part->p_type == PT_LOAD && part->p_flags & PF_X && offset >= part->p_offset
            && offset - part->p_offset < part->p_filesz) {
            return (uintptr_t)(offset - part->p_offset + part->p_vaddr);
        }
    }
    return 0;
}

/* Compares each wanted address with each function of a table of symbols. */
static void read_table(const file_t *file, const section_t *table, const section_t *names, sq__symbol_t *const wanted[], unsigned count) {
    uint64_t entries = table->sh_size / sizeof(entry_t);
    const entry_t *entry = at(file, table->sh_offset, entries * sizeof *entry);
    const char *text = at(file, names->sh_offset, names->sh_size);
    for (uint64_t i = 0; entry != NULL && text != NULL && i < entries; i += 1) {
        bool is_function = (entry[i].st_info & 0xF) == STT_FUNC || (entry[i].st_info & 0xF) == STT_GNU_IFUNC;
        if (!is_function || entry[i].st_shndx == SHN_UNDEF || entry[i].st_name >= names->sh_size) {
            continue;
        }
        for (unsigned w = 0; w < count; w += 1) {
            uintptr_t begin = (uintptr_t)entry[i].st_value, past = begin + (entry[i].st_size > 0 ? entry[i].st_size : 1);
            if (wanted[w]->in_file >= begin && wanted[w]->in_file < past && wanted[w]->nearest <= begin) {
                wanted[w]->nearest = begin;
                size_t most = names->sh_size - entry[i].st_name;
                snprintf(wanted[w]->name, sizeof wanted[w]->name, "%.*s", (int)(most < 4096 ? most : 4096), text + entry[i].st_name);
            }
        }
    }
}

static void read_tables(const file_t *file, const header_t *header, sq__symbol_t *const wanted[], unsigned count) {
    for (unsigned i = 0; i < header->e_shnum; i += 1) {
        const section_t *table = at(file, header->e_shoff + (uint64_t)i * sizeof *table, sizeof *table);
        if (table == NULL || (table->sh_type != SHT_SYMTAB && table->sh_type != SHT_DYNSYM)) {
            continue;
        }
        const section_t *names = at(file, header->e_shoff + (uint64_t)table->sh_link * sizeof *names, sizeof *names);
        if (names != NULL) {
            read_table(file, table, names, wanted, count);
        }
    }
}

/* Until now `in_file` is the offset in the file. */
static void read_file(const char *path, sq__symbol_t *const wanted[], unsigned count) {
    struct stat status;
    int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (descriptor < 0) {
        return;
    }
    if (fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode) && status.st_size > (off_t)sizeof(header_t)) {
        size_t size = (size_t)status.st_size;
        void *bytes = mmap(NULL, size, PROT_READ, MAP_PRIVATE, descriptor, 0);
        const file_t file = { .bytes = bytes, .size = size };
        if (bytes != MAP_FAILED) {
            const header_t *header = bytes;
            bool is_elf = memcmp(header->e_ident, ELFMAG, SELFMAG) == 0;
            for (unsigned i = 0; i < count; i += 1) {
                wanted[i]->in_file = is_elf ? address_of(&file, header, wanted[i]->in_file) : 0;
            }
            if (is_elf) {
                read_tables(&file, header, wanted, count);
            }
            munmap(bytes, size);
        }
    }
    close(descriptor);
}

/* One line of the list of mappings: if it is code, the addresses within it; `in_file` becomes the offset in the file. */
static void read_line(const char *line, sq__symbols_t *symbols) {
    uintptr_t begin, end, offset;
    char rights[5];
    int used = 0;
    if (sscanf(line, "%" SCNxPTR "-%" SCNxPTR " %4s %" SCNxPTR " %*s %*s %n", &begin, &end, rights, &offset, &used) < 4 || used == 0
        || rights[2] != 'x') {
        return;
    }
    const char *path = line + used, *name = strrchr(path, '/');
    sq__symbol_t *wanted[SQ__SYMBOLS];
    unsigned count = 0;
    for (unsigned i = 0; i < symbols->count; i += 1) {
        sq__symbol_t *symbol = &symbols->symbol[i];
        if (symbol->address >= begin && symbol->address < end) {
            symbol->in_file = symbol->address - begin + offset;
            snprintf(symbol->file, sizeof symbol->file, "%s", name != NULL ? name + 1 : path);
            wanted[count++] = symbol;
        }
    }
    if (count > 0 && name != NULL) {
        read_file(path, wanted, count);
    }
}

void sq__symbols_find(sq__symbols_t *symbols) {
    enum { MOST = 4 << 20 };
    char *text = symbols->count > 0 ? sq__pages(MOST) : NULL;
    if (text == NULL) {
        return;
    }
    sq__quiet_t quiet = sq__quiet_begin(); /* files are opened and mapped */
    /* "self" is the first thread: empty once that has ended. But an emulator of programs (qemu) knows only that name. */
    if (sq__read_file("/proc/self/maps", text, MOST) == 0) {
        (void)sq__read_file("/proc/thread-self/maps", text, MOST);
    }
    for (char *line = text, *end; (end = strchr(line, '\n')) != NULL; line = end + 1) {
        *end = '\0';
        read_line(line, symbols);
    }
    sq__quiet_end(quiet);
    sq__pages_free(text, MOST);
}

#endif
