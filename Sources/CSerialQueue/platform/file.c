#ifndef _GNU_SOURCE
#define _GNU_SOURCE 1 /* dl_iterate_phdr */
#endif
#include "platform/file.h"

#include "platform/message.h"
#include "platform/mutex.h"

#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

int sq__file_create(const char *path, int *file) {
    *file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    return *file >= 0 ? 0 : errno;
}

int sq__file_write(int file, const void *bytes, size_t count) {
    for (const char *at = bytes; count > 0;) {
        ssize_t written = write(file, at, count);
        if (written < 0 && errno != EINTR) {
            return errno;
        }
        at += written > 0 ? written : 0;
        count -= written > 0 ? (size_t)written : 0;
    }
    return 0;
}

int sq__file_close(int file) { return close(file) == 0 || errno == EINTR ? 0 : errno; }

void sq__report(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    sq__message(format, arguments);
    va_end(arguments);
}

int sq__file_at_exit(void (*function)(void)) { return atexit(function) == 0 ? 0 : ENOMEM; }

int sq__bell_create(int *bell) {
    *bell = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    return *bell >= 0 ? 0 : errno;
}

void sq__bell_ring(int bell) {
    int kept = errno;
    uint64_t one = 1;
    ssize_t written = write(bell, &one, sizeof one); /* fails only if it was rung 2^64 - 2 times */
    (void)written;
    errno = kept;
}

bool sq__bell_wait(int bell, uint64_t nanoseconds) {
    struct pollfd wanted = { .fd = bell, .events = POLLIN };
    int milliseconds = nanoseconds == SQ__NEVER ? -1 : (int)(nanoseconds / 1000000);
    uint64_t count;
    return poll(&wanted, 1, milliseconds) > 0 && read(bell, &count, sizeof count) == (ssize_t)sizeof count;
}

int sq__process_id(void) { return (int)getpid(); }

int sq__signal_take(int number, void (*function)(int)) {
    struct sigaction present, wanted = { .sa_handler = function, .sa_flags = SA_RESTART };
    sigemptyset(&wanted.sa_mask);
    if (sigaction(number, NULL, &present) != 0) {
        return errno;
    }
    if ((present.sa_flags & SA_SIGINFO) || present.sa_handler != SIG_DFL) {
        return EBUSY;
    }
    return sigaction(number, &wanted, NULL) == 0 ? 0 : errno;
}

void sq__signal_give_back(int number, void (*function)(int)) {
    struct sigaction present, standard = { .sa_handler = SIG_DFL };
    if (sigaction(number, NULL, &present) == 0 && !(present.sa_flags & SA_SIGINFO) && present.sa_handler == function) {
        (void)sigaction(number, &standard, NULL);
    }
}

int sq__signal_number(const char *name, size_t length) {
    static const struct { const char *name; int number; } signals[] = {
        { "HUP", SIGHUP }, { "QUIT", SIGQUIT }, { "USR1", SIGUSR1 }, { "USR2", SIGUSR2 }, { "WINCH", SIGWINCH },
    };
    for (size_t i = 0; i < sizeof signals / sizeof signals[0]; i += 1) {
        if (strlen(signals[i].name) == length && memcmp(signals[i].name, name, length) == 0) {
            return signals[i].number;
        }
    }
    return 0;
}

static uint64_t read_clock(clockid_t clock) {
    struct timespec now = { 0, 0 };
    clock_gettime(clock, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

void sq__clock_others(uint64_t *since_boot, uint64_t *of_day) {
    *since_boot = read_clock(CLOCK_BOOTTIME);
    *of_day = read_clock(CLOCK_REALTIME);
}

typedef struct found_code {
    uintptr_t address;
    const char *name; /* NULL: not found */
    uint64_t offset;
} found_code_t;

static int look_at_object(struct dl_phdr_info *object, size_t size, void *context) {
    found_code_t *found = context;
    (void)size;
    for (unsigned i = 0; i < object->dlpi_phnum; i += 1) {
        uintptr_t begin = object->dlpi_addr + object->dlpi_phdr[i].p_vaddr;
        if (object->dlpi_phdr[i].p_type == PT_LOAD && found->address - begin < object->dlpi_phdr[i].p_memsz) {
            found->name = object->dlpi_name;
            found->offset = found->address - object->dlpi_addr;
            return 1;
        }
    }
    return 0;
}

bool sq__code_find(const void *address, char *path, size_t size, uint64_t *offset) {
    found_code_t found = { .address = (uintptr_t)address };
    if (!dl_iterate_phdr(look_at_object, &found)) {
        return false;
    }
    *offset = found.offset;
    if (found.name != NULL && found.name[0] != '\0') {
        snprintf(path, size, "%s", found.name);
        return true;
    }
    ssize_t length = readlink("/proc/self/exe", path, size - 1); /* the program itself has no name there */
    path[length > 0 ? length : 0] = '\0';
    return length > 0;
}
