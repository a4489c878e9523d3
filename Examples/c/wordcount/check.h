/* check.h: the same count once more, by one thread and without any queue. */
#ifndef CHECK_H
#define CHECK_H

#include "bar.h"
#include "inputs.h"
#include "words.h"

/* Counts, byte by byte and file after file, every input that has no problem. Returns false, with a sentence on stderr,
 * if one of them can no longer be read as it was. Main thread, after the readers have ended. */
bool check_count(inputs_t *inputs, words_t *words, bar_t *bar);

/* True if both tables hold the same counts; else a sentence on stderr names a word that differs. `counted` may be
 * sorted, `expected` must not be. */
bool check_equal(const words_t *counted, const words_t *expected);

#endif
