#include "store.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void stop(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    printf("{\"error\":\"");
    vprintf(format, arguments);
    printf("\"}\n");
    va_end(arguments);
    exit(1);
}

static void *checked(void *memory) {
    if (memory == NULL) {
        stop("there is not enough memory");
    }
    return memory;
}

void *list_grow(void *at, size_t count, size_t *room, size_t size) {
    if (count == *room) {
        *room = *room == 0 ? 16 : *room + *room / 2;
        if (*room >= NONE) {
            stop("it has too many events");
        }
        return checked(realloc(at, *room * size));
    }
    return at;
}

void *list_zeroed(size_t count, size_t size) { return checked(calloc(count + 1, size)); }

static uint64_t mixed(uint64_t key) {
    key = (key ^ key >> 32) * 0x9E3779B97F4A7C15u;
    return key ^ key >> 29;
}

static size_t slot_of(const map_t *map, uint64_t key) {
    size_t at = mixed(key) & (map->room - 1);
    while (map->slots[at].value != 0 && map->slots[at].key != key) {
        at = (at + 1) & (map->room - 1);
    }
    return at;
}

uint32_t map_find(const map_t *map, uint64_t key) { return map->room == 0 ? NONE : map->slots[slot_of(map, key)].value - 1; }

static void map_grow(map_t *map) {
    map_t larger = { .room = map->room == 0 ? 64 : map->room * 2, .count = map->count };
    larger.slots = checked(calloc(larger.room, sizeof *larger.slots));
    for (size_t i = 0; i < map->room; i += 1) {
        if (map->slots[i].value != 0) {
            larger.slots[slot_of(&larger, map->slots[i].key)] = map->slots[i];
        }
    }
    free(map->slots);
    *map = larger;
}

void map_set(map_t *map, uint64_t key, uint32_t value) {
    if (map->count >= map->room / 4 * 3) {
        map_grow(map);
    }
    struct map_slot *slot = &map->slots[slot_of(map, key)];
    map->count += slot->value == 0;
    *slot = (struct map_slot){ key, value + 1 };
}

/* No slot between a key and where its search begins is free: so those behind the removed one move up. */
uint32_t map_take(map_t *map, uint64_t key) {
    size_t hole = map->room == 0 ? 0 : slot_of(map, key), mask = map->room - 1;
    if (map->room == 0 || map->slots[hole].value == 0) {
        return NONE;
    }
    uint32_t value = map->slots[hole].value - 1;
    for (size_t at = (hole + 1) & mask; map->slots[at].value != 0; at = (at + 1) & mask) {
        size_t begin = mixed(map->slots[at].key) & mask;
        if (((at - begin) & mask) >= ((at - hole) & mask)) {
            map->slots[hole] = map->slots[at];
            hole = at;
        }
    }
    map->slots[hole].value = 0;
    map->count -= 1;
    return value;
}

void map_clear(map_t *map) {
    free(map->slots);
    *map = (map_t){ .count = 0 };
}

static uint64_t hash_of(const void *bytes, size_t length) {
    uint64_t hash = length, word;
    const char *at = bytes;
    for (; length >= 8; at += 8, length -= 8) {
        memcpy(&word, at, 8);
        hash = (hash ^ word) * 0xC2B2AE3D27D4EB4Fu;
        hash ^= hash >> 31;
    }
    word = 0;
    memcpy(&word, at, length);
    hash = (hash ^ word) * 0xC2B2AE3D27D4EB4Fu;
    return hash ^ hash >> 31;
}

/* Different ones of the same hash have keys that follow each other. */
uint32_t text_number(texts_t *texts, const void *at, size_t length) {
    uint64_t key = length == 0 ? 0 : hash_of(at, length);
    for (;; key += 1) {
        uint32_t number = map_find(&texts->numbers, key);
        if (number == NONE) {
            break;
        }
        if (texts->list.at[number].length == length && memcmp(texts->list.at[number].at, at, length) == 0) {
            return number;
        }
    }
    struct text *text = LIST_ADD(&texts->list);
    text->at = checked(malloc(length + 1));
    text->length = length;
    memcpy(text->at, at, length);
    text->at[length] = '\0';
    map_set(&texts->numbers, key, (uint32_t)(texts->list.count - 1));
    return (uint32_t)(texts->list.count - 1);
}

uint32_t record_number(records_t *records, const void *record) {
    uint64_t key = hash_of(record, records->size);
    for (;; key += 1) {
        uint32_t number = map_find(&records->numbers, key);
        if (number == NONE) {
            break;
        }
        if (memcmp(records->at + number * records->size, record, records->size) == 0) {
            return number;
        }
    }
    records->at = list_grow(records->at, records->count, &records->room, records->size);
    memcpy(records->at + records->count * records->size, record, records->size);
    map_set(&records->numbers, key, (uint32_t)records->count);
    return (uint32_t)(records->count++);
}
