/* deadlock_json.h: a deadlock as JSON, for programs (SQ_DUMP=USR1,reports). Documentation/report.schema.json has its form.
 *
 * DESIGN. The threads of a cycle are known under the lock of the waits, where nothing is written. So they are put behind the text in the room for the
 * report of the refused thread, and that thread writes the line, with no lock. */
#pragma once

#include "wait/edge.h"

enum { SQ__DEADLOCK_JSON = 2560 }; /* bytes for the threads. Those that find no room are left out */

/* M. The threads of the cycle, the refused one first. */
void sq__deadlock_json_cycle(char *room, const sq__edge_t *first);

/* The calling thread, which runs a task of `held` and would wait for `awaited`; or is inside this once, and would wait for it. */
void sq__deadlock_json_own(char *room, const sq_queue_t *held, const sq_queue_t *awaited, sq__aim_t aim);
void sq__deadlock_json_once(char *room, const void *once);

/* With no lock: writes the line. */
void sq__deadlock_json_write(const char *report, const char *room);
