/* dump_running.h: what each thread runs. */
#pragma once

#include "inspect/dump_text.h"

/* Adds the section of the threads that run tasks; before sq__dump_queues. */
void sq__dump_running(sq__dump_text_t *text, const sq__view_t *view);
