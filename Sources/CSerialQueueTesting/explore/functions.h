/* functions.h: the names of the test's functions.
 *
 * Each name is looked up only once, because that reads the program's file. */
#pragma once

#include "include/sq_types.h"

typedef struct sq__function {
    uintptr_t address;
    char name[128];
} sq__function_t;

/* All zero: empty. */
typedef struct sq__functions {
    sq__function_t *known;
    size_t count;
} sq__functions_t;

/* The function's name, also if it is static; else FILE+0xOFFSET; "?" without memory. Valid until the next call. */
const char *sq__functions_name(sq__functions_t *functions, uintptr_t address);

void sq__functions_free(sq__functions_t *functions);
