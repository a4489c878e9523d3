/* symbols.h: the names of functions, from the files that the process is made of.
 *
 * DESIGN. dladdr cannot be used: a thread that is stuck in dlopen holds its lock, and it knows no static functions. All wanted addresses are
 * collected first; then each file that has one of them is mapped, and its table of symbols read once. It takes no lock,
 * and gets memory in pages directly from the system. */
#pragma once

#include "platform/system.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SQ__SYMBOLS = 256 };

typedef struct sq__symbol {
    uintptr_t address;
    uintptr_t in_file; /* the address in its file, as debuggers and addr2line take it; 0: it is in no file */
    uintptr_t nearest; /* where the function begins that is at or below `in_file`; 0: none is known yet */
    char name[128];    /* of that function; "": not known */
    char file[64];     /* without its folder */
} sq__symbol_t;

typedef struct sq__symbols {
    unsigned count;
    sq__symbol_t symbol[SQ__SYMBOLS];
} sq__symbols_t;

/* Adds an address whose name is wanted. No effect if the table is full, or has the address already. */
void sq__symbols_want(sq__symbols_t *symbols, uintptr_t address);

/* Finds all wanted names. */
void sq__symbols_find(sq__symbols_t *symbols);

/* Writes "name (file+0x123)", or the known part of it. */
void sq__symbols_text(const sq__symbols_t *symbols, uintptr_t address, char *text, size_t size);

/* After sq__symbols_find. True: the address is code. */
bool sq__symbols_is_code(const sq__symbols_t *symbols, uintptr_t address);
