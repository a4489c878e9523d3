#include "platform/message.h"

#include <stdio.h>
#include <unistd.h>

void sq__message(const char *format, va_list arguments) {
    char line[1024] = "SerialQueue: ";
    size_t used = sizeof "SerialQueue: " - 1;
    int wanted = vsnprintf(line + used, sizeof line - used - 1, format, arguments);
    if (wanted > 0) {
        size_t room = sizeof line - used - 2;
        used += (size_t)wanted < room ? (size_t)wanted : room;
    }
    line[used++] = '\n';
    ssize_t written = write(STDERR_FILENO, line, used);
    (void)written; /* there is nowhere else to report it */
}

bool sq__report_is_on_terminal(void) { return isatty(STDERR_FILENO); }

void sq__report(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    sq__message(format, arguments);
    va_end(arguments);
}
