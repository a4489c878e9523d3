/* puzzle.c: the tutorials' puzzle. A function prints 1, submits a task, prints 5; the task prints 2, submits another one that prints 3,
 * and prints 4. What is printed, in which order? */
#include "puzzle.h"

#include "log.h"

#include <serial_queue.h>
#include <sq_explore.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_NOTES = 12, MOST_OUTPUTS = 8 };

typedef struct puzzle {
    bool is_concurrent, outer_is_sync, inner_is_sync;
} puzzle_t;

static const puzzle_t puzzles[] = {
    {false, true, true}, {false, true, false}, {false, false, true}, {false, false, false},
    {true, true, true},  {true, true, false},  {true, false, true},  {true, false, false},
};

/* What a puzzle prints, sorted, and how often. */
typedef struct outputs {
    char text[MOST_OUTPUTS][8];
    size_t seen[MOST_OUTPUTS], count;
} outputs_t;

typedef struct note {
    double microseconds;
    size_t thread;
    const char *text, *remark;
} note_t;

/* One round of a puzzle, and what happened in it. */
typedef struct round {
    const puzzle_t *puzzle;
    sq_pool_t *pool;       /* of an exploration; NULL: it is played on threads */
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

/* Another task may go first. On threads: for up to 0.3 ms, or not at all. Without it nearly all rounds are the same: a thread that has to wake up
 * is always later than one that runs. */
static void pause_before(const round_t *round) {
    if (round->pool != NULL) {
        sq_pool_yield(round->pool);
        return;
    }
    double end = microseconds_now() + (rand() % 2 == 0 ? 0 : rand() % 300);
    while (microseconds_now() < end) {
    }
}

/* A text of one character is printed. */
static void add(round_t *round, const char *text, const char *remark) {
    if (text[1] == '\0') pause_before(round);
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
    /* A refused call would fail the exploration. */
    if (is_sync && round->pool != NULL && !round->puzzle->is_concurrent && sq_is_current(round->queue)) return;
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

static void play(void *context) {
    round_t *round = context;
    add(round, "1", "");
    submit(round, round->puzzle->outer_is_sync, outer_task);
    add(round, "5", "");
}

static void begin(round_t *round, const puzzle_t *puzzle, sq_pool_t *pool) {
    sq_queue_options_t options = SQ_QUEUE_OPTIONS_INIT;
    options.pool = pool;
    if (puzzle->is_concurrent) options.width = pool != NULL ? 3 : SQ_WIDTH_POOL;
    *round = (round_t){.puzzle = puzzle, .pool = pool, .queue = sq_queue_create("puzzle", &options), .group = sq_group_create("puzzle"),
                       .mutex = PTHREAD_MUTEX_INITIALIZER};
    if (round->queue == NULL || round->group == NULL) die("the queue cannot be made", errno);
}

static void end(round_t *round) {
    sq_group_release(round->group);
    sq_queue_release(round->queue);
}

static void play_on_threads(const puzzle_t *puzzle, round_t *round) {
    begin(round, puzzle, NULL);
    play(round);
    int error = sq_group_wait(round->group, SQ_FOREVER);
    if (error != 0) die("the tasks do not end", error);
    end(round);
}

/* The place of this output among the sorted ones; SIZE_MAX: it is not there. */
static size_t place_of(const outputs_t *outputs, const char *text) {
    for (size_t i = 0; i < outputs->count; i++) {
        if (strcmp(outputs->text[i], text) == 0) return i;
    }
    return SIZE_MAX;
}

static void insert(outputs_t *outputs, const char *text) {
    if (place_of(outputs, text) != SIZE_MAX || outputs->count == MOST_OUTPUTS) return;
    size_t i = outputs->count++;
    for (; i > 0 && strcmp(outputs->text[i - 1], text) > 0; i--) strcpy(outputs->text[i], outputs->text[i - 1]);
    strcpy(outputs->text[i], text);
}

typedef struct exploration {
    const puzzle_t *puzzle;
    outputs_t *outputs;
} exploration_t;

static void play_explored(sq_pool_t *pool, void *context) {
    exploration_t *exploration = context;
    round_t round;
    begin(&round, exploration->puzzle, pool);
    sq_queue_options_t options = SQ_QUEUE_OPTIONS_INIT;
    options.pool = pool;
    sq_queue_t *caller = sq_queue_create("caller", &options);
    if (caller == NULL || sq_async(caller, play, &round) != 0) die("the queue cannot be made", errno);
    sq_pool_run(pool);
    insert(exploration->outputs, round.digits);
    sq_queue_release(caller);
    end(&round);
}

/* All that it can print: what it prints under every schedule. Returns how many there are. */
static uint64_t explore(const puzzle_t *puzzle, outputs_t *outputs) {
    sq_explore_options_t options = SQ_EXPLORE_OPTIONS_INIT;
    sq_explored_t explored = SQ_EXPLORED_INIT;
    options.strategy = SQ_EXPLORE_DEPTH_FIRST;
    options.schedules = 100000;
    *outputs = (outputs_t){.count = 0};
    int error = sq_explore(&options, play_explored, &(exploration_t){puzzle, outputs}, &explored);
    if (error != 0 || !explored.is_complete) die("the schedules cannot all be explored", error);
    uint64_t schedules = explored.schedules;
    sq_explored_clear(&explored);
    return schedules;
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

/* Plays it `rounds` times, draws the first, and counts what was printed. False: something else than what is allowed. */
static bool show(const puzzle_t *puzzle, size_t rounds) {
    static round_t round;
    outputs_t outputs;
    bool holds = true;
    char first[8];
    printf("%s queue: 1 %s { 2 %s { 3 } 4 } 5\n\n", puzzle->is_concurrent ? "concurrent" : "serial",
           puzzle->outer_is_sync ? "sync" : "async", puzzle->inner_is_sync ? "sync" : "async");
    uint64_t schedules = explore(puzzle, &outputs);
    for (size_t i = 0; i < rounds; i++) {
        play_on_threads(puzzle, &round);
        if (i == 0) {
            memcpy(first, round.digits, sizeof first);
            print_timeline(&round);
        }
        size_t place = place_of(&outputs, round.digits);
        if (place != SIZE_MAX) {
            outputs.seen[place]++;
        } else {
            fprintf(stderr, "order: broken promise: it printed %s\n", round.digits);
            holds = false;
        }
    }
    printf("\n     allowed");
    for (size_t i = 0; i < outputs.count; i++) printf("%s %s", i == 0 ? "" : ",", outputs.text[i]);
    printf("; in all %llu schedule%s\n     printed %s; of %zu rounds:", (unsigned long long)schedules, schedules == 1 ? "" : "s", first, rounds);
    for (size_t i = 0; i < outputs.count; i++) printf("%s %s %zux", i == 0 ? "" : ",", outputs.text[i], outputs.seen[i]);
    puts("\n");
    return holds;
}

bool show_puzzles(size_t rounds) {
    bool holds = true;
    for (size_t i = 0; i < sizeof puzzles / sizeof puzzles[0]; i++) holds &= show(&puzzles[i], rounds);
    return holds;
}
