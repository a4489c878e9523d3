/* readers.c: see readers.h. */
#define _DEFAULT_SOURCE 1
#include "readers.h"

#include "die.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Readers can be faster than the table takes batches. After this many a reader waits, with a sync, until the table has
 * taken what was handed over. So at most BATCHES_AHEAD batches a reader are in memory, each no larger than the counts
 * of PIECE_SIZE bytes, however large the inputs are. */
enum { BATCHES_AHEAD = 4 };

typedef struct reader {
    pthread_t thread;
    inputs_t *inputs;
    tally_t *tally;
    unsigned char *buffer;
} reader_t;

struct readers {
    unsigned count;
    reader_t reader[];
};

/* As pread, but fills the buffer unless the file ends. */
static ssize_t read_at(int file, unsigned char *buffer, size_t length, uint64_t offset) {
    size_t filled = 0;
    while (filled < length) {
        ssize_t got = pread(file, buffer + filled, length - filled, (off_t)(offset + filled));
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return -1;
        if (got == 0) break;
        filled += (size_t)got;
    }
    return (ssize_t)filled;
}

/* Counts one piece; the reason if it cannot be read, else NULL. */
static const char *count_piece(reader_t *reader, const piece_t *piece, words_t *words) {
    size_t before = piece->offset > 0 ? 1 : 0, end = before + piece->length;
    int file = input_open(piece->input);
    if (file < 0) return strerror(errno);
    ssize_t got = read_at(file, reader->buffer, end + piece->after, piece->offset - before);
    const char *reason = got < 0 ? strerror(errno) : NULL;
    close(file);
    if (reason != NULL) return reason;
    if ((size_t)got < end + piece->after) return "became shorter while it was read";
    words_add_piece(words, reader->buffer, before, end, end + piece->after);
    return NULL;
}

static void *reader_run(void *context) {
    reader_t *reader = context;
    unsigned ahead = 0;
    for (piece_t piece; inputs_next(reader->inputs, &piece);) {
        if (piece.length == 0) {
            inputs_copy(reader->inputs, piece.input);
            continue;
        }
        batch_t *batch = tally_batch(reader->tally, piece.input);
        const char *reason = count_piece(reader, &piece, &batch->words);
        if (reason != NULL) {
            inputs_fail(reader->inputs, piece.input, reason);
            batch_free(batch);
            continue;
        }
        batch->bytes = piece.length;
        tally_add(batch);
        if (++ahead == BATCHES_AHEAD) {
            tally_catch_up(reader->tally);
            ahead = 0;
        }
    }
    tally_finish(reader->tally);
    return NULL;
}

readers_t *readers_start(inputs_t *inputs, tally_t *tally, unsigned count) {
    readers_t *readers = calloc(1, sizeof *readers + count * sizeof readers->reader[0]);
    if (readers == NULL) die("not enough memory for %u readers", count);
    for (; readers->count < count; readers->count++) {
        reader_t *reader = &readers->reader[readers->count];
        *reader = (reader_t){.inputs = inputs, .tally = tally, .buffer = malloc(1 + PIECE_SIZE + WORD_LIMIT)};
        if (reader->buffer == NULL) die("not enough memory for %u readers", count);
        int error = pthread_create(&reader->thread, NULL, reader_run, reader);
        if (error != 0) die("reader %u of %u cannot be started: %s", readers->count + 1, count, strerror(error));
    }
    return readers;
}

void readers_join(readers_t *readers) {
    for (unsigned i = 0; i < readers->count; i++) {
        pthread_join(readers->reader[i].thread, NULL);
        free(readers->reader[i].buffer);
    }
    free(readers);
}
