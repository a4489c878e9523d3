/* words.c: how the scenes print what happens. */
#include "hangs.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void die(const char *what, int error) {
    fprintf(stderr, "hangs: %s: %s\n", what, strerror(error));
    exit(1);
}

void must(const char *what, int error) {
    if (error) {
        die(what, error);
    }
}

void say(const char *format, ...) {
    enum { WIDTH = 79, MARGIN = 4 };
    char text[1200], paragraph[2400];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    size_t used = 0, column = WIDTH;
    for (char *rest = text, *word; (word = strtok_r(rest, " ", &rest)) != NULL;) {
        bool fits = column + 1 + strlen(word) <= WIDTH;
        column = (fits ? column + 1 : MARGIN) + strlen(word);
        used += (size_t)snprintf(paragraph + used, sizeof paragraph - used, "%s%s",
                                 fits ? " " : used == 0 ? "    " : "\n    ", word);
    }
    if (printf("%s\n", paragraph) < 0) {
        die("the output cannot be written", errno);
    }
}

sq_queue_t *queue_named(const char *label) {
    sq_queue_t *queue = sq_queue_create(label, NULL);
    if (queue == NULL) {
        die(label, errno);
    }
    return queue;
}

void finish(sq_queue_t *queue) {
    must(sq_queue_label(queue), sq_shutdown(queue, SQ_SHUTDOWN_DRAIN, SQ_FOREVER));
    sq_queue_release(queue);
}

void report(const char *call, int error) {
    say("%s: %s", call, error ? strerror(error) : "done");
    if (error == EDEADLK) {
        say("%s", sq_deadlock_report());
    }
}

void never(void *unused) {
    (void)unused;
    say("never said");
}

void nothing(void *unused) { (void)unused; }
