/* dump_work.h: queues, suspended queues and pools of a dump. */
#pragma once

#include "inspect/dump_text.h"

/* Changes the order of `queues`, so it comes after the waits. */
void sq__dump_queues(sq__dump_text_t *text, sq__view_t *view);
void sq__dump_suspended(sq__dump_text_t *text, const sq__view_t *view);
void sq__dump_pools(sq__dump_text_t *text, const sq__view_t *view);
