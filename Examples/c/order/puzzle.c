/* puzzle.c: the tutorials' puzzle. A function prints 1, submits a task, prints 5; the task prints 2, submits another one that prints 3,
 * and prints 4. What is printed, in which order? */
#include "puzzle.h"

#include "log.h"

#include <serial_queue.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_NOTES = 12, MOST_OUTPUTS = 8 };

/* `outputs` has all that it can print, in ascending order. The schedule explorer reaches each of them, and nothing else
 * (Tests/Explore/scenarios/concurrent.c). */
typedef struct puzzle {
    bool is_concurrent, outer_is_sync, inner_is_sync;
    const char *outputs;
} puzzle_t;

static const puzzle_t puzzles[] = {
    {false, true, true, "1245"},
    {false, true, false, "12435 12453"},
    {false, false, true, "1245 1254 1524"},
    {false, false, false, "12435 12453 12543 15243"},
    {true, true, true, "12345"},
    {true, true, false, "12345 12435 12453"},
    {true, false, true, "12345 12354 12534 15234"},
    {true, false, false, "12345 12354 12435 12453 12534 12543 15234 15243"},
};

typedef struct note {
    double microseconds;
    size_t thread;
    const char *text, *remark;
} note_t;

/* One round of a puzzle, and what happened in it. */
typedef struct round {
    const puzzle_t *puzzle;
    sq_queue_t *queue;
    sq_group_t *group;     /* of the tasks */
    pthread_mutex_t mutex; /* of all that follows */
    pthread_t threads[MOST_NOTES];
    size_t thread_count, count, digit_count;
    note_t notes[MOST_NOTES];
    char digits[8];
} round_t;

static _Noreturn void die(const char *what, int error) {
    fprintf(stderr, "order: %s: %s\n", what, strerror(error));
    exit(1);
}

/* A text of one character is printed. */
static void add(round_t *round, const char *text, const char *remark) {
    pthread_mutex_lock(&round->mutex);
    size_t thread = 0;
    while (thread < round->thread_count && !pthread_equal(round->threads[thread], pthread_self())) thread++;
    if (thread == round->thread_count) round->threads[round->thread_count++] = pthread_self();
    round->notes[round->count++] = (note_t){microseconds_now(), thread, text, remark};
    if (text[1] == '\0') round->digits[round->digit_count++] = text[0];
    pthread_mutex_unlock(&round->mutex);
}

static void submit(round_t *round, bool is_sync, sq_function_t function) {
    add(round, is_sync ? "sync {" : "async {", "");
    sq_group_enter(round->group);
    int error = (is_sync ? sq_sync : sq_async)(round->queue, function, round);
    if (error == 0) return;
    if (error != EDEADLK) die("the queue refused a task", error);
    add(round, "} EDEADLK", "refused: it would wait for its own task");
    sq_group_leave(round->group);
}

static void inner_task(void *context) {
    round_t *round = context;
    add(round, "3", "");
    sq_group_leave(round->group);
}

static void outer_task(void *context) {
    round_t *round = context;
    add(round, "2", "");
    submit(round, round->puzzle->inner_is_sync, inner_task);
    add(round, "4", "");
    sq_group_leave(round->group);
}

static void play(const puzzle_t *puzzle, round_t *round) {
    sq_queue_options_t options = SQ_QUEUE_OPTIONS_INIT;
    if (puzzle->is_concurrent) options.width = SQ_WIDTH_POOL;
    *round = (round_t){.puzzle = puzzle, .queue = sq_queue_create("puzzle", &options), .group = sq_group_create("puzzle"),
                       .mutex = PTHREAD_MUTEX_INITIALIZER};
    if (round->queue == NULL || round->group == NULL) die("the queue cannot be made", errno);
    add(round, "1", "");
    submit(round, puzzle->outer_is_sync, outer_task);
    add(round, "5", "");
    int error = sq_group_wait(round->group, SQ_FOREVER);
    if (error != 0) die("the tasks do not end", error);
    sq_group_release(round->group);
    sq_queue_release(round->queue);
}

static void print_timeline(const round_t *round) {
    printf("      us  main");
    for (size_t i = 1; i < round->thread_count; i++) printf("%*sthread %zu", i == 1 ? 10 : 6, "", i);
    putchar('\n');
    for (size_t i = 0; i < round->count; i++) {
        const note_t *note = &round->notes[i];
        int indent = (int)(2 + 14 * note->thread);
        printf("%8.0f%*s%s", note->microseconds - round->notes[0].microseconds, indent, "", note->text);
        if (note->remark[0] != '\0') printf("     %s", note->remark);
        putchar('\n');
    }
}

/* Plays it `rounds` times, draws the first, and counts what was printed. False: something else than what is possible. */
static bool show(const puzzle_t *puzzle, size_t rounds) {
    static round_t round;
    size_t counts[MOST_OUTPUTS] = {0};
    bool holds = true;
    char first[8];
    printf("%s queue: 1 %s { 2 %s { 3 } 4 } 5\n\n", puzzle->is_concurrent ? "concurrent" : "serial",
           puzzle->outer_is_sync ? "sync" : "async", puzzle->inner_is_sync ? "sync" : "async");
    size_t length = strcspn(puzzle->outputs, " "); /* of each output */
    for (size_t i = 0; i < rounds; i++) {
        play(puzzle, &round);
        if (i == 0) {
            memcpy(first, round.digits, sizeof first);
            print_timeline(&round);
        }
        const char *found = round.digit_count == length ? strstr(puzzle->outputs, round.digits) : NULL;
        if (found != NULL) {
            counts[(size_t)(found - puzzle->outputs) / (length + 1)]++;
        } else {
            fprintf(stderr, "order: broken promise: it printed %s\n", round.digits);
            holds = false;
        }
    }
    printf("\n     printed %s; of %zu rounds:", first, rounds);
    for (size_t i = 0; i * (length + 1) < strlen(puzzle->outputs); i++)
        printf("%s %.*s %zux", i == 0 ? "" : ",", (int)length, puzzle->outputs + i * (length + 1), counts[i]);
    puts("\n");
    return holds;
}

bool show_puzzles(size_t rounds) {
    bool holds = true;
    for (size_t i = 0; i < sizeof puzzles / sizeof puzzles[0]; i++) holds &= show(&puzzles[i], rounds);
    return holds;
}
