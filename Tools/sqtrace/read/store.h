/* store.h: lists that grow, a map from numbers to numbers, and texts and records that are kept once. Without memory the process ends. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define NONE UINT32_MAX

/* A list: `at[0]` to `at[count - 1]`. All 0: it is empty. LIST_ADD returns a pointer to its new last item, which is not initialized. */
#define LIST(...) struct { __VA_ARGS__ *at; size_t count, room; }
#define LIST_ADD(list) ((list)->at = list_grow((list)->at, (list)->count, &(list)->room, sizeof *(list)->at), &(list)->at[(list)->count++])
void *list_grow(void *at, size_t count, size_t *room, size_t size);
void *list_zeroed(size_t count, size_t size); /* for free(), also if the count is 0 */

/* A map. All 0: it is empty. map_find and map_take return NONE for a key that it does not have; map_take removes the key. */
typedef struct map {
    struct map_slot { uint64_t key; uint32_t value /* 0: the slot is free; else one more than the value */; } *slots;
    size_t count, room;
} map_t;
uint32_t map_find(const map_t *map, uint64_t key);
void map_set(map_t *map, uint64_t key, uint32_t value);
uint32_t map_take(map_t *map, uint64_t key);
void map_clear(map_t *map);

/* Texts by number; the empty one has the number 0. */
typedef struct texts {
    LIST(struct text { char *at; size_t length; }) list;
    map_t numbers;
} texts_t;
uint32_t text_number(texts_t *texts, const void *at, size_t length);

/* Records of one size, a multiple of 4 bytes without padding, by number. */
typedef struct records {
    size_t size, count, room;
    char *at;
    map_t numbers;
} records_t;
uint32_t record_number(records_t *records, const void *record);

/* Ends the process with this message, which has no quotation marks, as its whole output. Before anything else is printed. */
_Noreturn void stop(const char *format, ...);
