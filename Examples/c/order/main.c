/* main.c: the order of sync and async on one serial queue, replayed and drawn.
 *
 * Each caller does what the tutorials do: 1 and 2 with async, 3 with sync, 4 with async, 5 with sync. First one thread,
 * then several at the same time. Examples/Order is the same in Swift.
 *
 * log.c records what happens, timeline.c draws it, check.c holds it against the promises. With --puzzles: the tutorials' other
 * question, puzzle.c. */
#define _DEFAULT_SOURCE 1
#include "log.h"
#include "puzzle.h"

#include <serial_queue.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { TASK_MICROSECONDS = 300 }; /* long enough to see which thread waits */

typedef struct call {
    record_t *record;
    size_t task;
} call_t;

typedef struct caller {
    pthread_t thread;
    size_t number;
    sq_queue_t *queue;
    record_t *record;
    call_t calls[TASKS_PER_CALLER];
} caller_t;

static void run_task(void *context) {
    const call_t *call = context;
    const struct timespec duration = {.tv_nsec = TASK_MICROSECONDS * 1000};
    record_event(call->record, RUNS, call->task);
    nanosleep(&duration, NULL);
    record_event(call->record, DONE, call->task);
}

static void submit(const caller_t *caller, call_t *call) {
    record_event(call->record, SUBMITS, call->task);
    int error = call->record->tasks[call->task].is_sync ? sq_sync(caller->queue, run_task, call)
                                                        : sq_async(caller->queue, run_task, call);
    if (error != 0) {
        fprintf(stderr, "order: the queue refused a task: %s\n", strerror(error));
        exit(1);
    }
    record_event(call->record, RETURNED, call->task);
}

static void *caller_run(void *context) {
    caller_t *caller = context;
    record_caller(caller->record, caller->number);
    for (size_t i = 0; i < TASKS_PER_CALLER; i++) {
        caller->calls[i] = (call_t){caller->record, caller->number * TASKS_PER_CALLER + i};
        submit(caller, &caller->calls[i]);
    }
    return NULL;
}

static void plan_tasks(record_t *record) {
    record->thread_count = record->caller_count;
    record->task_count = record->caller_count * TASKS_PER_CALLER;
    for (size_t i = 0; i < record->task_count; i++) {
        size_t number = i % TASKS_PER_CALLER + 1, caller = i / TASKS_PER_CALLER;
        task_t *task = &record->tasks[i];
        *task = (task_t){.is_sync = number == 3 || number == 5, .caller = caller};
        if (record->caller_count == 1) snprintf(task->name, sizeof task->name, "%zu", number);
        else snprintf(task->name, sizeof task->name, "%c%zu", (char)('A' + caller), number);
    }
}

/* Lets `count` threads (one: this thread) submit at the same time, draws what happened, and checks it. */
static bool scene(size_t count) {
    static record_t record; /* static, both: a broken queue may run a task after the sync that comes behind it */
    static caller_t callers[MOST_CALLERS];
    record = (record_t){.mutex = PTHREAD_MUTEX_INITIALIZER, .caller_count = count};
    plan_tasks(&record);
    sq_queue_t *queue = sq_queue_create("order", NULL);
    if (queue == NULL) {
        perror("order: the queue cannot be made");
        exit(1);
    }
    for (size_t i = 0; i < count; i++) callers[i] = (caller_t){.number = i, .queue = queue, .record = &record};
    if (count == 1) {
        caller_run(&callers[0]);
    } else {
        for (size_t i = 0; i < count; i++) {
            int error = pthread_create(&callers[i].thread, NULL, caller_run, &callers[i]);
            if (error != 0) {
                fprintf(stderr, "order: a thread cannot be started: %s\n", strerror(error));
                exit(1);
            }
        }
        for (size_t i = 0; i < count; i++) pthread_join(callers[i].thread, NULL);
    }
    sq_queue_release(queue);

    timeline_print(&record);
    fflush(stdout);
    bool holds = check_order(&record);
    if (holds)
        printf("   holds each task once, one at a time, in the order of submission;\n"
               "         sync on its caller's thread, async on the queue's own\n");
    return holds;
}

/* 0: the puzzles. */
static size_t read_options(int count, char *arguments[]) {
    static const char usage[] =
        "Usage: order [--threads N | --puzzles]\n"
        "\n"
        "Submits 1 and 2 with async, 3 with sync, 4 with async, 5 with sync to one serial queue: first\n"
        "from one thread, then from N (2 to 8, else 2) at the same time, and draws what ran where and when.\n"
        "--puzzles: 1 submit(2 submit(3) 4) 5, by sync and async, on a serial and on a concurrent queue.\n"
        "Exit status: 0; 1 if the order was not what a queue promises; 2 for a wrong command line.\n";
    if (count == 1) return 2;
    if (count == 2 && strcmp(arguments[1], "--puzzles") == 0) return 0;
    if (count == 2 && strcmp(arguments[1], "--help") == 0) exit(fputs(usage, stdout) < 0 || fflush(stdout) != 0);
    const char *value = NULL;
    if (count == 3 && strcmp(arguments[1], "--threads") == 0) value = arguments[2];
    if (count == 2 && strncmp(arguments[1], "--threads=", 10) == 0) value = arguments[1] + 10;
    if (value != NULL && strlen(value) == 1 && value[0] >= '2' && value[0] <= '0' + MOST_CALLERS)
        return (size_t)(value[0] - '0');
    fputs(usage, stderr);
    exit(2);
}

int main(int count, char *arguments[]) {
    size_t threads = read_options(count, arguments);
    bool holds;
    if (threads == 0) {
        holds = show_puzzles(200);
    } else {
        puts("One thread submits 1 and 2 with async, 3 with sync, 4 with async, 5 with sync.\n");
        holds = scene(1);
    }
    if (holds && threads > 0) {
        printf("\n%zu threads do the same at the same time.\n\n", threads);
        holds = scene(threads);
    }
    if (fflush(stdout) != 0 || ferror(stdout)) {
        perror("order: the timeline cannot be written");
        return 1;
    }
    return holds ? 0 : 1;
}
