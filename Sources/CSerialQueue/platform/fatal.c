#include "platform/fatal.h"

#include "platform/atomic.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

typedef void (*function_t)(void);

static SQ__ATOMIC(function_t) first;

void sq__fatal_first(void (*function)(void)) { sq__store_relaxed(&first, function); }

void sq__fatal(const char *format, ...) {
    char line[1024] = "SerialQueue: ";
    size_t used = sizeof "SerialQueue: " - 1;
    va_list arguments;
    va_start(arguments, format);
    int wanted = vsnprintf(line + used, sizeof line - used - 1, format, arguments);
    va_end(arguments);
    if (wanted > 0) {
        size_t room = sizeof line - used - 2;
        used += (size_t)wanted < room ? (size_t)wanted : room;
    }
    line[used++] = '\n';
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL); /* the write would end the thread instead of the process */
    /* One write, so that sentences of several threads do not mix; what it returns no longer matters. */
    ssize_t written = write(STDERR_FILENO, line, used);
    (void)written;
    function_t function = sq__exchange_relaxed(&first, NULL); /* not again, should it end here, too */
    if (function != NULL) {
        function();
    }
    abort();
}
