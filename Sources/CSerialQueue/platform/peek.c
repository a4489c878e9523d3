#include "platform/peek.h"

#include "platform/event_fd.h"
#include "platform/quiet.h"
#include "platform/text.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* By their numbers: a sanitizer would treat a call of the function like an ordinary access, and report it. */
#if SQ__LINUX
#include <sys/syscall.h>
#define WRITE(file, bytes, count) syscall(SYS_write, file, bytes, count)
#define READ(file, bytes, count) syscall(SYS_read, file, bytes, count)
#else
#define WRITE write
#define READ read
#endif

#ifndef MAP_NORESERVE
#define MAP_NORESERVE 0
#endif

/* The system copies the bytes into a pipe, and says EFAULT. */
bool sq__peek_through_pipe(const char *address, char *copy, size_t bytes) {
    sq__event_fd_t pipe;
    sq__quiet_t quiet = sq__quiet_begin();
    bool is_open = sq__event_fd_open_pipe(&pipe) == 0, ok = is_open;
    while (ok && bytes > 0) {
        size_t part = bytes < 4096 ? bytes : 4096;
        ok = WRITE(pipe.writes, address, part) == (ssize_t)part && READ(pipe.reads, copy, part) == (ssize_t)part;
        address += part, copy += part, bytes -= part;
    }
    if (is_open) {
        sq__event_fd_close(pipe);
    }
    sq__quiet_end(quiet);
    return ok;
}

void sq__peek_text(const char *address, char *text, size_t size) {
    size_t used = 0;
    bool ends = false;
    while (!ends && used < size - 1) {
        size_t to_page_end = 4096 - ((uintptr_t)address + used) % 4096, part = size - 1 - used;
        part = part < to_page_end ? part : to_page_end;
        if (!sq__peek(address + used, text + used, part)) {
            break;
        }
        ends = memchr(text + used, '\0', part) != NULL;
        used += part;
    }
    text[used] = '\0';
    if (used == 0) {
        text[0] = '?';
        text[1] = '\0';
    }
    sq__make_printable(text, size);
}

void *sq__pages(size_t bytes) {
    void *pages = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return pages != MAP_FAILED ? pages : NULL;
}

void sq__pages_free(void *pages, size_t bytes) {
    if (pages != NULL) {
        munmap(pages, bytes);
    }
}

void *sq__pages_grow(void *pages, size_t bytes, size_t more) {
#if SQ__LINUX
    void *moved = mremap(pages, bytes, more, MREMAP_MAYMOVE);
    return moved != MAP_FAILED ? moved : NULL;
#else
    void *copy = sq__pages(more);
    if (copy != NULL) {
        memcpy(copy, pages, bytes);
        sq__pages_free(pages, bytes);
    }
    return copy;
#endif
}

void sq__pages_discard(void *start, size_t bytes) {
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), end = ((uintptr_t)start + bytes) & -page;
    uintptr_t begin = ((uintptr_t)start + page - 1) & -page;
    if (begin < end) {
        madvise((void *)begin, end - begin, MADV_DONTNEED);
    }
}

size_t sq__read_file(const char *path, char *text, size_t size) {
    size_t used = 0;
    sq__quiet_t quiet = sq__quiet_begin();
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file >= 0) {
        ssize_t part;
        while (used < size - 1 && (part = read(file, text + used, size - 1 - used)) > 0) {
            used += (size_t)part;
        }
        close(file);
    }
    sq__quiet_end(quiet);
    text[used] = '\0';
    return used;
}
