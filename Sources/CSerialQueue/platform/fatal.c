#include "platform/fatal.h"

#include "platform/atomic.h"
#include "platform/message.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdlib.h>

typedef void (*function_t)(void);

static SQ__ATOMIC(function_t) first;

void sq__fatal_first(void (*function)(void)) { sq__store_relaxed(&first, function); }

static void begin_end(const char *format, va_list arguments) {
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL); /* the write would end the thread instead of the process */
    sq__message(format, arguments);
    function_t function = sq__exchange_relaxed(&first, NULL); /* called once only, even if it fails in here itself */
    if (function != NULL) {
        function();
    }
}

void sq__fatal_message(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    begin_end(format, arguments);
    va_end(arguments);
}

void sq__fatal(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    begin_end(format, arguments);
    va_end(arguments);
    abort();
}
