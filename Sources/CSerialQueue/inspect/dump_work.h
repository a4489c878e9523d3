/* dump_work.h: queues, suspended queues and pools of a dump. */
#pragma once

#include "inspect/dump_text.h"

/* Add sections. The first changes the order of `queues`, so it comes after the waits and the running tasks. */
void sq__dump_queues(sq__dump_text_t *text, sq__view_t *view);
void sq__dump_suspended(sq__dump_text_t *text, const sq__view_t *view);
void sq__dump_pools(sq__dump_text_t *text, const sq__view_t *view);
