/* dump_fold.h: which lines of a section are alike, and how many lines each section gets.
 *
 * DESIGN. A section adds its items in the order in which they are shown, each with a key: a hash of what makes two lines alike. More than
 * SQ__FOLD_FEW items of one key are one line, at the place of the first of them. What stands out is added without a key. A table finds the group of
 * a key, so that takes time and memory in proportion to the items: 40 bytes for each. */
#pragma once

#include "inspect/dump_text.h"

enum { SQ__FOLD_FEW = 4, SQ__FOLD_TOP = 3 /* that stand out because they are the longest or deepest */ };

/* Queues that are deadlocked, suspended or run are listed one by one if they are not more than this. */
enum { SQ__FOLD_LISTED = 10 };

typedef struct sq__fold_item {
    size_t item;  /* in the list of the view */
    size_t group; /* the place of its group, or SQ__ALONE */
} sq__fold_item_t;
#define SQ__ALONE SIZE_MAX

typedef struct sq__fold_group {
    uint64_t key;
    size_t first; /* the place of the first item of the group */
    size_t count;
} sq__fold_group_t;

/* A section of a dump. */
typedef struct sq__section {
    sq__view_list_t items;  /* sq__fold_item_t */
    sq__view_list_t groups; /* sq__fold_group_t */
    sq__view_list_t lines;  /* sq__view_key_t: `item` is a place in `items`; the section may sort them */
    uint32_t *table;        /* the group of a key, plus 1; 0: free */
    size_t room;            /* a power of two */
    size_t wanted, granted; /* lines */
} sq__section_t;

/* Prepares a zeroed section for so many items. */
void sq__section_begin(sq__view_t *view, sq__section_t *section, size_t most);

/* Adds an item of the view; key 0: it is alone. */
void sq__section_add(sq__view_t *view, sq__section_t *section, uint64_t key, size_t item);

/* After the last item: makes the lines, in the order of the items. */
void sq__section_end(sq__view_t *view, sq__section_t *section);

void sq__section_free(sq__section_t *section);

/* How many items the line has, of which *item is the first: 1, or more than SQ__FOLD_FEW. */
size_t sq__section_line(const sq__section_t *section, size_t line, size_t *item);

static inline const sq__fold_item_t *sq__section_item(const sq__section_t *section, size_t i) {
    return (const sq__fold_item_t *)(const void *)section->items.items + i;
}

static inline sq__fold_group_t *sq__section_group(const sq__section_t *section, size_t i) {
    return (sq__fold_group_t *)(void *)section->groups.items + i;
}

/* Divides so many lines among sections: what a section does not want is for the others. */
void sq__section_grant(sq__section_t *const sections[], size_t count, size_t lines);

/* Adds how many lines of the section were left out, if there are any. */
void sq__dump_add_left_out(sq__dump_text_t *text, const sq__section_t *section);

/* A hash of what lines have in common. Begin with SQ__KEY. Never 0. */
#define SQ__KEY UINT64_C(14695981039346656037)
uint64_t sq__key_with(uint64_t key, uint64_t word);
uint64_t sq__key_with_text(uint64_t key, const char *text);
