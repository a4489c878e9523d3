#include "explore/functions.h"

#include "explore/record.h"
#include "platform/memory.h"
#include "platform/symbols.h"

#include <stdio.h>

/* Fills in the name of the function at `address`. False: no memory. */
static bool look_up(sq__function_t *function) {
    sq__symbols_t *symbols = sq__memory(sizeof *symbols); /* too large for the stack of a helper's task */
    if (symbols == NULL) {
        return false;
    }
    symbols->count = 0;
    sq__symbols_want(symbols, function->address);
    sq__symbols_find(symbols);
    if (symbols->count > 0 && symbols->symbol[0].name[0] != '\0') {
        snprintf(function->name, sizeof function->name, "%s", symbols->symbol[0].name);
    } else {
        sq__symbols_text(symbols, function->address, function->name, sizeof function->name);
    }
    sq__memory_free(symbols);
    return true;
}

const char *sq__functions_name(sq__functions_t *functions, uintptr_t address) {
    for (size_t i = 0; i < functions->count; i += 1) {
        if (functions->known[i].address == address) {
            return functions->known[i].name;
        }
    }
    sq__function_t *known = sq__grown(functions->known, functions->count, sizeof *known);
    if (known == NULL) {
        return "?";
    }
    functions->known = known;
    known += functions->count;
    *known = (sq__function_t){ .address = address };
    if (!look_up(known)) {
        return "?";
    }
    functions->count += 1;
    return known->name;
}

void sq__functions_free(sq__functions_t *functions) {
    sq__memory_free(functions->known);
    *functions = (sq__functions_t){ 0 };
}
