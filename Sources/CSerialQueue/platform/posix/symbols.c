#include "platform/symbols.h"

#if !SQ__LINUX

/* The names would be those of dladdr, whose lock a stuck thread may hold. A dump has the addresses. */
void sq__symbols_find(sq__symbols_t *symbols) { (void)symbols; }

#endif
