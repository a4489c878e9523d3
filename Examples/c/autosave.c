/* autosave.c: timers on a queue, and an hour of them in a moment.
 *
 * A document saves itself two seconds after the last keystroke: each keystroke starts the same timer again. Another timer
 * counts the minutes. All that the document is belongs to its queue. Two programs in one: with an argument, a number of seconds, on
 * the system's clock; without one, on a manual pool whose clock the program moves itself: as a test would do it. */
#ifndef _DEFAULT_SOURCE
#define _DEFAULT_SOURCE 1 /* usleep, also with -std=c11 */
#endif
#include <serial_queue.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SECOND 1000000000u

/* Only ever touched on the queue. */
typedef struct document {
    sq_queue_t *queue;
    sq_timer_t *saving, *minutes;
    unsigned keystrokes, unsaved, saves, minutes_passed;
} document_t;

static void must(const char *what, int error) {
    if (error) {
        fprintf(stderr, "autosave: %s: %s\n", what, strerror(error));
        exit(1);
    }
}

/* Tasks of the queue */

static void save(void *context) {
    document_t *document = context;
    document->saves += 1;
    document->unsaved = 0;
}

static void count_minute(void *context) { ((document_t *)context)->minutes_passed += 1; }

static void type(void *context) {
    document_t *document = context;
    document->keystrokes += 1;
    document->unsaved += 1;
    must("sq_timer_start", sq_timer_start(document->saving, 2ull * SECOND, 0, 0));
}

/* The document */

static void open_document(document_t *document, sq_pool_t *pool) {
    sq_queue_options_t options = SQ_QUEUE_OPTIONS_INIT;
    options.pool = pool;
    *document = (document_t){ .queue = sq_queue_create("com.example.document", &options) };
    must("sq_queue_create", document->queue == NULL ? errno : 0);
    document->saving = sq_timer_create(document->queue, &(sq_task_t){ save, document, NULL });
    must("sq_timer_create", document->saving == NULL ? errno : 0);
    document->minutes = sq_timer_create(document->queue, &(sq_task_t){ count_minute, document, NULL });
    must("sq_timer_create", document->minutes == NULL ? errno : 0);
    /* A minute may be printed half a second late. */
    must("sq_timer_start", sq_timer_start(document->minutes, 60ull * SECOND, 60ull * SECOND, SECOND / 2));
}

/* What is not saved yet is saved: the timer could only do it later, and after the shutdown it never would. */
static void close_document(document_t *document) {
    must("sq_timer_cancel_and_wait", sq_timer_cancel_and_wait(document->saving, SQ_FOREVER));
    must("sq_sync", sq_sync(document->queue, save, document));
    must("sq_shutdown", sq_shutdown(document->queue, SQ_SHUTDOWN_DRAIN, SQ_FOREVER));
    sq_timer_release(document->saving);
    sq_timer_release(document->minutes);
    sq_queue_release(document->queue);
    printf("%u keystrokes, %u saves, %u minutes, %u unsaved\n", document->keystrokes, document->saves, document->minutes_passed,
           document->unsaved);
}

/* Five keystrokes in a second, then a break of nine. */
static void write_for_a_while(document_t *document, uint64_t seconds, void (*pass)(sq_pool_t *, uint64_t), sq_pool_t *pool) {
    for (uint64_t second = 0; second < seconds; second += 1) {
        for (int i = 0; second % 10 == 0 && i < 5; i += 1) {
            must("sq_async", sq_async(document->queue, type, document));
            pass(pool, SECOND / 10);
        }
        pass(pool, second % 10 == 0 ? SECOND / 2 : SECOND);
    }
}

static void let_time_pass(sq_pool_t *unused, uint64_t nanoseconds) {
    (void)unused;
    usleep((useconds_t)(nanoseconds / 1000));
}

static void move_clock(sq_pool_t *pool, uint64_t nanoseconds) { sq_pool_advance(pool, nanoseconds); }

int main(int argc, char **argv) {
    document_t document;
    if (argc > 1) {
        open_document(&document, NULL);
        write_for_a_while(&document, strtoull(argv[1], NULL, 10), let_time_pass, NULL);
        close_document(&document);
        return document.unsaved == 0 ? 0 : 1;
    }
    sq_pool_t *pool = sq_pool_create_manual("an hour");
    must("sq_pool_create_manual", pool == NULL ? errno : 0);
    open_document(&document, pool);
    write_for_a_while(&document, 3600, move_clock, pool);
    close_document(&document);
    sq_pool_release(pool);
    bool as_expected = document.keystrokes == 1800 && document.saves == 361 && document.minutes_passed == 60;
    return as_expected && document.unsaved == 0 ? 0 : 1;
}
