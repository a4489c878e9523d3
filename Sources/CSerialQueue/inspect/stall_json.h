/* stall_json.h: a stall as JSON, for programs (SQ_DUMP=USR1,reports). Documentation/report.schema.json has its form. */
#pragma once

#include "include/sq_watch.h"

/* With no lock: writes the line, if that was asked for. */
void sq__stall_json(const sq_stall_t *stall);
