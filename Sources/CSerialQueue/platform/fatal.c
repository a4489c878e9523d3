#include "platform/fatal.h"

#include "platform/atomic.h"
#include "platform/message.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdlib.h>

typedef void (*function_t)(void);

static SQ__ATOMIC(function_t) first;

void sq__fatal_first(void (*function)(void)) { sq__store_relaxed(&first, function); }

void sq__fatal(const char *format, ...) {
    va_list arguments;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL); /* the write would end the thread instead of the process */
    va_start(arguments, format);
    sq__message(format, arguments);
    va_end(arguments);
    function_t function = sq__exchange_relaxed(&first, NULL); /* called once only, even if it fails in here itself */
    if (function != NULL) {
        function();
    }
    abort();
}
