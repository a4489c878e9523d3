/* inputs.c: see inputs.h. */
#define _DEFAULT_SOURCE 1
#include "inputs.h"

#include "die.h"
#include "words.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A turn on the list: the context of every sync below, on the stack of its caller. */
typedef struct turn {
    inputs_t *inputs;
    input_t *input;
    piece_t *piece;
    const char *reason;
    uint64_t size;
    bool found;
} turn_t;

static void take_turn(sq_function_t function, turn_t *turn) {
    int error = sq_sync(turn->inputs->queue, function, turn);
    if (error != 0) die("the list of files cannot be reached: %s", strerror(error));
}

static void look_at(inputs_t *inputs, input_t *input) {
    struct stat status;
    bool is_stdin = strcmp(input->path, "-") == 0;
    const char *reason = NULL;
    if ((is_stdin ? fstat(STDIN_FILENO, &status) : stat(input->path, &status)) != 0) reason = strerror(errno);
    else if (S_ISDIR(status.st_mode)) reason = "is a directory";
    else if (S_ISBLK(status.st_mode) || (S_ISCHR(status.st_mode) && !is_stdin)) reason = "is a device, not a text";
    else if (S_ISREG(status.st_mode) && status.st_size > 0 && !is_stdin) input->size = (uint64_t)status.st_size;
    else input->is_stream = true;
    if (reason != NULL) snprintf(input->problem, sizeof input->problem, "%s", reason);
    inputs->bytes += input->size;
}

void inputs_open(inputs_t *inputs, char *const paths[], size_t count) {
    *inputs = (inputs_t){.queue = sq_queue_create("wordcount.inputs", NULL), .count = count};
    inputs->all = calloc(count, sizeof *inputs->all);
    if (inputs->queue == NULL || inputs->all == NULL) die("not enough memory for the list of files");
    input_t **ready_end = &inputs->ready, **streams_end = &inputs->streams;
    for (size_t i = 0; i < count; i++) {
        input_t *input = &inputs->all[i];
        *input = (input_t){.path = paths[i], .copy = -1};
        look_at(inputs, input);
        if (input->problem[0] != '\0') continue;
        input_t ***end = input->is_stream ? &streams_end : &ready_end;
        **end = input;
        *end = &input->following;
    }
}

void inputs_close(inputs_t *inputs) {
    for (size_t i = 0; i < inputs->count; i++)
        if (inputs->all[i].copy >= 0) close(inputs->all[i].copy);
    free(inputs->all);
    sq_queue_release(inputs->queue);
}

/* Streams come last: a pipe without a writer must not keep a reader from the files. */
static void next_on_queue(void *context) {
    turn_t *turn = context;
    inputs_t *inputs = turn->inputs;
    input_t *input;
    while ((input = inputs->ready) != NULL && (input->problem[0] != '\0' || input->handed_out == input->size))
        inputs->ready = input->following;
    if (input != NULL) {
        uint64_t left = input->size - input->handed_out;
        size_t length = left < PIECE_SIZE ? (size_t)left : PIECE_SIZE;
        size_t after = left - length < WORD_LIMIT ? (size_t)(left - length) : WORD_LIMIT;
        *turn->piece = (piece_t){input, input->handed_out, length, after};
        input->handed_out += length;
    } else if ((input = inputs->streams) != NULL) {
        inputs->streams = input->following;
        *turn->piece = (piece_t){.input = input};
    }
    turn->found = input != NULL;
}

bool inputs_next(inputs_t *inputs, piece_t *piece) {
    turn_t turn = {.inputs = inputs, .piece = piece};
    take_turn(next_on_queue, &turn);
    return turn.found;
}

static void fail_on_queue(void *context) {
    turn_t *turn = context;
    if (turn->input->problem[0] == '\0')
        snprintf(turn->input->problem, sizeof turn->input->problem, "%s", turn->reason);
}

void inputs_fail(inputs_t *inputs, input_t *input, const char *reason) {
    turn_t turn = {.inputs = inputs, .input = input, .reason = reason};
    take_turn(fail_on_queue, &turn);
}

int input_open(const input_t *input) {
    if (input->copy >= 0) return dup(input->copy);
    if (strcmp(input->path, "-") == 0) return dup(STDIN_FILENO);
    return open(input->path, O_RDONLY | O_CLOEXEC);
}

static int temporary_file(void) {
    const char *folder = getenv("TMPDIR");
    char path[4096];
    if (folder == NULL || folder[0] == '\0') folder = "/tmp";
    snprintf(path, sizeof path, "%s/wordcount-XXXXXX", folder);
    int file = mkstemp(path);
    if (file >= 0) unlink(path);
    return file;
}

/* Returns the bytes copied; on an error *reason says what failed, and errno why. */
static uint64_t copy_all(int from, int to, const char **reason) {
    char buffer[64 * 1024];
    uint64_t size = 0;
    for (;;) {
        ssize_t got = read(from, buffer, sizeof buffer);
        if (got == 0) return size;
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return *reason = "", size;
        for (ssize_t put = 0, n; put < got; put += n) {
            n = write(to, buffer + put, (size_t)(got - put));
            if (n < 0 && errno == EINTR) n = 0;
            if (n < 0) return *reason = "its temporary copy cannot be written: ", size;
        }
        size += (uint64_t)got;
    }
}

static void copied_on_queue(void *context) {
    turn_t *turn = context;
    turn->input->size = turn->size;
    turn->inputs->bytes += turn->size;
    turn->input->following = turn->inputs->ready;
    turn->inputs->ready = turn->input;
}

void inputs_copy(inputs_t *inputs, input_t *input) {
    const char *failed = NULL;
    char reason[sizeof input->problem];
    uint64_t size = 0;
    int from = input_open(input);
    if (from < 0) failed = "";
    else if ((input->copy = temporary_file()) < 0) failed = "its temporary copy cannot be made: ";
    else size = copy_all(from, input->copy, &failed);
    if (failed != NULL) snprintf(reason, sizeof reason, "%s%s", failed, strerror(errno));
    else if (size == 0) snprintf(reason, sizeof reason, "is empty");
    if (from >= 0) close(from);
    turn_t turn = {.inputs = inputs, .input = input, .size = size};
    if (failed != NULL || size == 0) inputs_fail(inputs, input, reason);
    else take_turn(copied_on_queue, &turn);
}

static void bytes_on_queue(void *context) {
    turn_t *turn = context;
    turn->size = turn->inputs->bytes;
}

uint64_t inputs_bytes(inputs_t *inputs) {
    turn_t turn = {.inputs = inputs};
    take_turn(bytes_on_queue, &turn);
    return turn.size;
}

size_t inputs_report(inputs_t *inputs) {
    size_t problems = 0;
    for (size_t i = 0; i < inputs->count; i++) {
        input_t *input = &inputs->all[i];
        if (input->problem[0] == '\0') continue;
        problems++;
        if (!input->reported) fprintf(stderr, "wordcount: %s: %s\n", input->path, input->problem);
        input->reported = true;
    }
    return problems;
}
