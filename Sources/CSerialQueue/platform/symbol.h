/* symbol.h: the names of functions. */
#ifndef SQ__PLATFORM_SYMBOL_H
#define SQ__PLATFORM_SYMBOL_H

#include "platform/system.h"

#include <stddef.h>

/* Writes the function's name, also if it is static and the file still has its symbol table; else FILE+0xOFFSET. Slow: reads the
 * file that the function was loaded from. */
void sq__symbol_name(void (*function)(void), char *name, size_t size);

#endif
