/* readers.h: the threads that read pieces of the inputs and hand their counts to the tally. */
#ifndef READERS_H
#define READERS_H

#include "inputs.h"
#include "tally.h"

typedef struct readers readers_t;

/* Starts `count` threads. */
readers_t *readers_start(inputs_t *inputs, tally_t *tally, unsigned count);

/* Waits for their end. The tally may still have batches to merge. */
void readers_join(readers_t *readers);

#endif
