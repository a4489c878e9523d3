#include "platform/message.h"

#include "platform/file.h"
#include "platform/text.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

/* A program that was started without a standard error opens its own files under that number. */
static bool has_none;

static __attribute__((constructor)) void look_for_standard_error(void) { has_none = fcntl(STDERR_FILENO, F_GETFD) < 0 && errno == EBADF; }

void sq__message(const char *format, va_list arguments) {
    char line[1024] = "SerialQueue: ";
    size_t used = sizeof "SerialQueue: " - 1;
    int wanted = vsnprintf(line + used, sizeof line - used - 1, format, arguments);
    if (wanted > 0) {
        size_t room = sizeof line - used - 2;
        used += (size_t)wanted < room ? (size_t)wanted : room;
    }
    line[used] = '\0';
    sq__make_printable(line, sizeof line); /* labels are the program's */
    line[used++] = '\n';
    sq__report_bytes(line, used);
}

/* A signal of the program may interrupt the write before anything is written. There is nowhere to report another error. */
void sq__report_bytes(const void *bytes, size_t count) {
    while (!has_none && sq__file_write_some(STDERR_FILENO, bytes, count) == -EINTR) {
    }
}

bool sq__report_has_file(void) { return !has_none; }

bool sq__report_is_on_terminal(void) { return isatty(STDERR_FILENO); }

void sq__report(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    sq__message(format, arguments);
    va_end(arguments);
}
