#include "thread/process.h"

SQ__ATOMIC(uint32_t) sq__fork_process;

void sq__process_forked(void) { sq__store_relaxed(&sq__fork_process, sq__process() + 1); }
