#ifndef _GNU_SOURCE
#define _GNU_SOURCE 1 /* process_vm_readv */
#endif
#include "platform/peek.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

/* Without process_vm_readv, which some sandboxes refuse: the system copies the bytes into a pipe, and says EFAULT. */
static bool through_a_pipe(const char *address, char *copy, size_t bytes) {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) {
        return false;
    }
    bool ok = true;
    while (ok && bytes > 0) {
        size_t part = bytes < 4096 ? bytes : 4096;
        ok = syscall(SYS_write, ends[1], address, part) == (long)part && syscall(SYS_read, ends[0], copy, part) == (long)part;
        address += part, copy += part, bytes -= part;
    }
    close(ends[0]);
    close(ends[1]);
    return ok;
}

/* By its number: a sanitizer would treat a call of the function like an ordinary access, and report it. */
bool sq__peek(const void *address, void *copy, size_t bytes) {
    struct iovec to = { .iov_base = copy, .iov_len = bytes }, from = { .iov_base = (void *)(uintptr_t)address, .iov_len = bytes };
    if (address == NULL) {
        return false;
    }
    long read = syscall(SYS_process_vm_readv, (long)getpid(), &to, 1ul, &from, 1ul, 0ul);
    if (read < 0 && (errno == ENOSYS || errno == EPERM)) {
        return through_a_pipe(address, copy, bytes);
    }
    return read == (long)bytes;
}

void sq__make_printable(char *text, size_t size) {
    text[size - 1] = '\0';
    for (; *text != '\0'; text += 1) {
        if ((unsigned char)*text < ' ' || *text == 0x7F) {
            *text = '?';
        }
    }
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

size_t sq__read_file(const char *path, char *text, size_t size) {
    size_t used = 0;
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file >= 0) {
        ssize_t part;
        while (used < size - 1 && (part = read(file, text + used, size - 1 - used)) > 0) {
            used += (size_t)part;
        }
        close(file);
    }
    text[used] = '\0';
    return used;
}

void sq__thread_name_of(uint64_t id, char *name, size_t size) {
    char path[64];
    snprintf(path, sizeof path, "/proc/self/task/%" PRIu64 "/comm", id);
    size_t length = sq__read_file(path, name, size);
    if (length > 0 && name[length - 1] == '\n') {
        name[length - 1] = '\0';
    }
    if (length == 0) {
        snprintf(name, size, "?");
    }
}

int sq__write(int file, const char *bytes, size_t count) {
    while (count > 0) {
        ssize_t written = write(file, bytes, count);
        if (written >= 0) {
            bytes += written, count -= (size_t)written;
        } else if (errno == EAGAIN) {
            (void)poll(&(struct pollfd){ .fd = file, .events = POLLOUT }, 1, -1);
        } else if (errno != EINTR) {
            return errno;
        }
    }
    return 0;
}
