/* dump_waits.h: what each thread waits for. */
#pragma once

#include "inspect/dump_text.h"

/* Adds the section of the threads that wait; before sq__dump_queues. */
void sq__dump_waits(sq__dump_text_t *text, sq__view_t *view);
