#include "platform/symbols.h"

#include "platform/peek.h"
#include "platform/text.h"

#include <inttypes.h>
#include <stdio.h>

static sq__symbol_t *find(const sq__symbols_t *symbols, uintptr_t address) {
    for (unsigned i = 0; i < symbols->count; i += 1) {
        if (symbols->symbol[i].address == address) {
            return (sq__symbol_t *)&symbols->symbol[i];
        }
    }
    return NULL;
}

void sq__symbols_want(sq__symbols_t *symbols, uintptr_t address) {
    if (address != 0 && symbols->count < SQ__SYMBOLS && find(symbols, address) == NULL) {
        symbols->symbol[symbols->count++] = (sq__symbol_t){ .address = address };
    }
}

void sq__symbols_text(const sq__symbols_t *symbols, uintptr_t address, char *text, size_t size) {
    const sq__symbol_t *symbol = find(symbols, address);
    if (symbol == NULL || symbol->file[0] == '\0') {
        snprintf(text, size, "0x%" PRIxPTR, address);
    } else if (symbol->name[0] == '\0') {
        snprintf(text, size, "%s+0x%" PRIxPTR, symbol->file, symbol->in_file);
    } else {
        snprintf(text, size, "%s (%s+0x%" PRIxPTR ")", symbol->name, symbol->file, symbol->in_file);
    }
    sq__make_printable(text, size);
}

bool sq__symbols_is_code(const sq__symbols_t *symbols, uintptr_t address) {
    const sq__symbol_t *symbol = find(symbols, address);
    return symbol != NULL && symbol->file[0] != '\0';
}
