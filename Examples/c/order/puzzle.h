/* puzzle.h: the tutorials' puzzle, on both kinds of queue, with sync and async. */
#ifndef PUZZLE_H
#define PUZZLE_H

#include <stdbool.h>
#include <stddef.h>

/* Draws each puzzle once, and plays it `rounds` times. False: it printed what is not possible; a sentence on stderr says what. */
bool show_puzzles(size_t rounds);

#endif
