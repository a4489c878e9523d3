/* tally.h: the table of all words, owned by one serial queue.
 *
 * There is no lock: readers submit a batch of counts with async and continue to read; the progress bar reads with sync. The
 * queue runs these one at a time, in order. */
#ifndef TALLY_H
#define TALLY_H

#include "inputs.h"
#include "words.h"

/* The counts of one piece of one input. Made by a reader, then the queue's. */
typedef struct batch {
    struct tally *tally;
    input_t *input;
    size_t bytes;
    words_t words;
} batch_t;

/* Everything but the queue is touched by its tasks only, until the readers have ended. */
typedef struct tally {
    sq_queue_t *queue;
    words_t words;
    uint64_t bytes;
    unsigned finished;          /* readers */
    double finished_at;         /* seconds on the monotonic clock */
} tally_t;

typedef struct progress {
    uint64_t bytes, words;
    unsigned finished;
} progress_t;

void tally_open(tally_t *tally);
void tally_close(tally_t *tally);

/* An empty batch for a reader to fill. */
batch_t *tally_batch(tally_t *tally, input_t *input);

/* Hands a batch over: the queue owns it from now on. Does not wait. */
void tally_add(batch_t *batch);
void batch_free(void *batch);

/* Waits until every batch handed over so far, by any reader, is in the table. */
void tally_catch_up(tally_t *tally);

/* A reader's last word: all its batches are in the table when this one is counted. */
void tally_finish(tally_t *tally);

progress_t tally_progress(tally_t *tally);

double seconds_now(void);

#endif
