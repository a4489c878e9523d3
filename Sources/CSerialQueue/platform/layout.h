/* layout.h: where the fields of our records are, for a program that reads this process's memory from outside (sq-top).
 *
 * DESIGN. Rooms have tables of names and numbers: the offsets and sizes of fields, constants, and the addresses of lists. inspect/layout.c has a
 * table of these tables. A note that is loaded with the program says where that is, so it is found in memory alone, in a program or a shared
 * library, stripped or not. Fields are looked up by name: a field that moves changes no reader. A change of what a field means has to change
 * SQ__LAYOUT_VERSION.
 *
 *     note    sizes of the name and of the rest, type 1, "SerialQueue"; the distance from here to the table, SQ__LAYOUT_VERSION */
#pragma once

#include "platform/system.h"

#include <stddef.h>
#include <stdint.h>

#define SQ__LAYOUT_VERSION 1

/* The last one of a table has no name. */
typedef struct sq__layout {
    const void *at; /* of a list: where its first element is stored; else NULL */
    uint32_t value; /* the offset of a field, the size of a record, or a constant */
    uint32_t size;  /* of a field: its bytes; else 0 */
    char name[40];
} sq__layout_t;

#define SQ__LAYOUT_FIELD(type, field) { .value = offsetof(type, field), .size = sizeof(((type *)0)->field), .name = #type "." #field }
/* Of a type that is a file's own, by the name that readers know. */
#define SQ__LAYOUT_FIELD_AS(type, field, called) { .value = offsetof(type, field), .size = sizeof(((type *)0)->field), .name = called }
/* An array at the end of a record. */
#define SQ__LAYOUT_REST(type, field) { .value = offsetof(type, field), .name = #type "." #field }
#define SQ__LAYOUT_SIZE(type) { .value = sizeof(type), .name = #type }
#define SQ__LAYOUT_CONSTANT(constant) { .value = (uint32_t)(constant), .name = #constant }
#define SQ__LAYOUT_LIST(list, called) { .at = &(list), .name = called }

#define SQ__LAYOUT_TEXT(number) SQ__LAYOUT_TEXT_OF(number)
#define SQ__LAYOUT_TEXT_OF(number) #number

/* At file scope: the note. The table is a hidden symbol. */
#if defined(__ELF__) && !defined(__TINYC__)
#define SQ__LAYOUT_NOTE(table)                                         \
    __asm__(".pushsection .note.serialqueue, \"a\", %note\n"           \
            ".balign 4\n"                                              \
            ".4byte 882f - 881f, 884f - 883f, 1\n"                     \
            "881: .asciz \"SerialQueue\"\n"                            \
            "882: .balign 4\n"                                         \
            "883: .4byte " #table " - ., " SQ__LAYOUT_TEXT(SQ__LAYOUT_VERSION) "\n" \
            "884: .balign 4\n"                                         \
            ".popsection\n")
#else
#define SQ__LAYOUT_NOTE(table) _Static_assert(1, "such a process is not read from outside")
#endif
