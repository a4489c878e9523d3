#include "platform/program.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

int sq__process_id(void) { return (int)getpid(); }

int sq__program_at_exit(void (*function)(void)) { return atexit(function) == 0 ? 0 : ENOMEM; }

/* In the child of a fork the dynamic linker's lock stays taken forever if another thread was in dl_iterate_phdr (glibc 2.36). */
sq__mutex_t sq__code_lock = SQ__MUTEX_INIT;
