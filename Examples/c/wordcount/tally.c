/* tally.c: see tally.h. */
#define _DEFAULT_SOURCE 1
#include "tally.h"

#include "die.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

double seconds_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* A refused task would be a lost count, so the program ends then. */
static void accepted(int error) {
    if (error != 0) die("the table's queue refused a task: %s", strerror(error));
}

void tally_open(tally_t *tally) {
    *tally = (tally_t){.queue = sq_queue_create("wordcount.tally", NULL)};
    if (tally->queue == NULL) die("not enough memory for the table's queue");
}

void tally_close(tally_t *tally) {
    sq_queue_release(tally->queue);
    words_free(&tally->words);
}

batch_t *tally_batch(tally_t *tally, input_t *input) {
    batch_t *batch = calloc(1, sizeof *batch);
    if (batch == NULL) die("not enough memory for a batch of words");
    batch->tally = tally;
    batch->input = input;
    return batch;
}

void batch_free(void *context) {
    batch_t *batch = context;
    words_free(&batch->words);
    free(batch);
}

static void merge_on_queue(void *context) {
    batch_t *batch = context;
    tally_t *tally = batch->tally;
    words_merge(&tally->words, &batch->words);
    tally->bytes += batch->bytes;
    batch->input->counted += batch->bytes;
    batch_free(batch);
}

void tally_add(batch_t *batch) {
    sq_task_t task = {.run = merge_on_queue, .context = batch, .discard = batch_free};
    accepted(sq_async_task(batch->tally->queue, &task));
}

static void nothing(void *context) {
    (void)context;
}

void tally_catch_up(tally_t *tally) {
    accepted(sq_sync(tally->queue, nothing, NULL));
}

static void finish_on_queue(void *context) {
    tally_t *tally = context;
    tally->finished++;
    tally->finished_at = seconds_now();
}

void tally_finish(tally_t *tally) {
    accepted(sq_async(tally->queue, finish_on_queue, tally));
}

struct look {
    const tally_t *tally;
    progress_t progress;
};

static void look_on_queue(void *context) {
    struct look *look = context;
    const tally_t *tally = look->tally;
    look->progress = (progress_t){tally->bytes, tally->words.total, tally->finished};
}

progress_t tally_progress(tally_t *tally) {
    struct look look = {.tally = tally};
    accepted(sq_sync(tally->queue, look_on_queue, &look));
    return look.progress;
}
