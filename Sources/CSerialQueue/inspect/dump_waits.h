/* dump_waits.h: what each thread waits for. */
#ifndef SQ__INSPECT_DUMP_WAITS_H
#define SQ__INSPECT_DUMP_WAITS_H

#include "inspect/dump_text.h"

void sq__dump_waits(sq__dump_text_t *text, sq__view_t *view);

#endif
