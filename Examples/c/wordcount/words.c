/* words.c: see words.h. Without memory the program ends: half a count is of no use. */
#include "words.h"

#include "die.h"

#include <stdlib.h>
#include <string.h>

static void *grown(void *block, size_t bytes) {
    void *larger = realloc(block, bytes);
    if (larger == NULL) die("not enough memory for so many different words");
    return larger;
}

void words_free(words_t *words) {
    free(words->list);
    free(words->slots);
    free(words->text);
    *words = (words_t){0};
}

static uint32_t hash_of(const unsigned char *bytes, size_t length) {
    uint32_t hash = 2166136261u; /* FNV-1a */
    for (size_t i = 0; i < length; i++) hash = (hash ^ bytes[i]) * 16777619u;
    return hash ^ hash >> 15; /* its low bits alone, which pick the slot, would cluster */
}

/* The slot that holds the word, or the free one where it belongs. */
static uint32_t *slot_of(const words_t *words, const unsigned char *bytes, size_t length, uint32_t hash) {
    size_t mask = words->slot_count - 1;
    for (size_t i = hash & mask;; i = (i + 1) & mask) {
        uint32_t *slot = &words->slots[i];
        if (*slot == 0) return slot;
        const word_t *word = &words->list[*slot - 1];
        if (word->hash == hash && word->length == length && memcmp(words->text + word->offset, bytes, length) == 0)
            return slot;
    }
}

static void double_slots(words_t *words) {
    size_t count = words->slot_count == 0 ? 256 : words->slot_count * 2;
    if (count > UINT32_MAX) die("more than 2^31 different words");
    free(words->slots);
    words->slots = calloc(count, sizeof *words->slots);
    if (words->slots == NULL) die("not enough memory for so many different words");
    words->slot_count = count;
    words->list = grown(words->list, count / 2 * sizeof *words->list);
    for (size_t i = 0; i < words->different; i++) {
        size_t at = words->list[i].hash & (count - 1);
        while (words->slots[at] != 0) at = (at + 1) & (count - 1);
        words->slots[at] = (uint32_t)i + 1;
    }
}

static void add(words_t *words, const unsigned char *bytes, size_t length, uint32_t hash, uint64_t count) {
    if (words->different == words->slot_count / 2) double_slots(words);
    words->total += count;
    uint32_t *slot = slot_of(words, bytes, length, hash);
    if (*slot != 0) {
        words->list[*slot - 1].count += count;
        return;
    }
    if (words->text_used + length > words->text_size) {
        words->text_size = words->text_size * 2 + 4096;
        words->text = grown(words->text, words->text_size);
    }
    memcpy(words->text + words->text_used, bytes, length);
    words->list[words->different++] = (word_t){words->text_used, count, hash, (uint32_t)length};
    words->text_used += length;
    *slot = (uint32_t)words->different;
}

void words_add(words_t *words, const unsigned char *bytes, size_t length) {
    add(words, bytes, length, hash_of(bytes, length), 1);
}

void words_merge(words_t *words, const words_t *other) {
    for (size_t i = 0; i < other->different; i++) {
        const word_t *word = &other->list[i];
        add(words, other->text + word->offset, word->length, word->hash, word->count);
    }
}

uint64_t words_count(const words_t *words, const words_t *owner, const word_t *word) {
    if (words->slot_count == 0) return 0;
    uint32_t slot = *slot_of(words, owner->text + word->offset, word->length, word->hash);
    return slot == 0 ? 0 : words->list[slot - 1].count;
}

void words_add_piece(words_t *words, const unsigned char *bytes, size_t first, size_t end, size_t length) {
    size_t at = first;
    if (first > 0 && word_byte(bytes[first - 1]))
        while (at < end && word_byte(bytes[at])) at++;
    for (;;) {
        while (at < end && !word_byte(bytes[at])) at++;
        if (at >= end) return;
        unsigned char word[WORD_LIMIT];
        size_t used = 0;
        for (unsigned char byte; at < length && (byte = word_byte(bytes[at])) != 0; at++)
            if (used < WORD_LIMIT) word[used++] = byte;
        words_add(words, word, used);
    }
}

static const unsigned char *sorted_text; /* qsort passes no context */

static int by_frequency(const void *left, const void *right) {
    const word_t *a = left, *b = right;
    if (a->count != b->count) return a->count > b->count ? -1 : 1;
    size_t common = a->length < b->length ? a->length : b->length;
    int order = memcmp(sorted_text + a->offset, sorted_text + b->offset, common);
    return order != 0 ? order : (a->length > b->length) - (a->length < b->length);
}

void words_sort(words_t *words) {
    if (words->different == 0) return;
    sorted_text = words->text;
    qsort(words->list, words->different, sizeof *words->list, by_frequency);
    free(words->slots);
    words->slots = NULL;
    words->slot_count = 0;
}
