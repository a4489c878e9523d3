/* dump_running.h: what each thread runs. */
#ifndef SQ__INSPECT_DUMP_RUNNING_H
#define SQ__INSPECT_DUMP_RUNNING_H

#include "inspect/dump_text.h"

void sq__dump_running(sq__dump_text_t *text, const sq__view_t *view);

#endif
