/* fail.c: ending the process with a message. */
#include "fail.h"
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

void sq__dispatch_fail(const char *call, const char *format, ...) {
    char text[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL); /* else the thread could end here, instead of the process */
    fprintf(stderr, "libserialqueue-dispatch: %s: %s\n", call, text);
    abort();
}

void sq__dispatch_fail_with(const char *call, int error, dispatch_queue_t queue) {
    if (error == EDEADLK) {
        sq__dispatch_fail(call, "%s", sq_deadlock_report());
    }
    if (queue == NULL) {
        sq__dispatch_fail(call, "%s", sq_error_text(error));
    }
    sq__dispatch_fail(call, "queue \"%s\": %s", sq__dispatch_label(queue), sq_error_text(error));
}

void *sq__dispatch_allocate(const char *call, size_t size) {
    void *memory = calloc(1, size);
    if (memory == NULL) {
        sq__dispatch_fail(call, "%s", sq_error_text(ENOMEM));
    }
    return memory;
}
