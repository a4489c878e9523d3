/* hangs.h: how the scenes print what happens. */
#ifndef HANGS_H
#define HANGS_H

#include <serial_queue.h>

#include <semaphore.h>

typedef struct scene {
    const char *name;
    const char *summary;
    const char *dispatch; /* what libdispatch does with the same; seen with that of Swift 6.3 on Linux. NULL: see Examples/Hangs */
    void (*play)(void);
} scene_t;

/* queues.c: queues alone. many.c: groups, items and onces. Both end with an entry without a name. */
extern const scene_t queue_scenes[], many_scenes[];

/* Ends the program with a message if `error` is not 0. */
void must(const char *what, int error);

/* Prints one paragraph, in lines of at most 79 columns. One call of printf: two threads may print at the same time. */
void say(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Prints what the call returned, and why if that is EDEADLK. */
void report(const char *call, int error);

sq_queue_t *queue_named(const char *label);

/* Waits until the queue has run everything, and releases it. */
void finish(sq_queue_t *queue);

/* Functions for tasks. */
void nothing(void *unused);
void never(void *unused);

#endif
