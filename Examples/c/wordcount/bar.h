/* bar.h: a progress bar in the last line of a terminal. */
#ifndef BAR_H
#define BAR_H

#include <stdbool.h>
#include <stdint.h>

typedef struct bar {
    bool is_on;        /* stderr is a terminal that can go back to the start of a line */
    double drawn_at;
} bar_t;

bar_t bar_make(void);

/* Draws "counting [####----] 45 %  52.1 MB  8.2 M words", as much of it as the terminal is wide; ten times a second at
 * most. Does nothing unless the bar is on. */
void bar_draw(bar_t *bar, const char *doing, uint64_t bytes, uint64_t all_bytes, uint64_t words);

/* Leaves the line empty. */
void bar_clear(bar_t *bar);

#endif
