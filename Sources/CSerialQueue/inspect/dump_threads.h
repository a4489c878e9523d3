/* dump_threads.h: what the threads run and wait for, for a dump. */
#pragma once

#include "inspect/dump_view.h"

/* Fills `threads` and `held`. */
void sq__view_look_at_threads(sq__view_t *view);

/* The first of the keys with this queue or once, and how many there are; *count 0: none, and the result is not a key. After
 * sq__view_look_at_threads. */
const sq__view_key_t *sq__view_holders(const sq__view_t *view, const void *what, size_t *count);
