/* check.c: see check.h. It reads straight through, where the readers cut the files into pieces: a word lost or doubled
 * at the border of a piece, in a batch or in the table, shows here. */
#define _DEFAULT_SOURCE 1
#include "check.h"

#include "text.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { CHUNK_SIZE = 64 * 1024 };

/* A word that may continue in the next chunk. */
typedef struct open_word {
    size_t length;
    unsigned char bytes[WORD_LIMIT];
} open_word_t;

static void close_word(open_word_t *word, words_t *words) {
    if (word->length > 0) words_add(words, word->bytes, word->length);
    word->length = 0;
}

static void count_chunk(open_word_t *word, const unsigned char *chunk, size_t length, words_t *words) {
    for (size_t i = 0; i < length; i++) {
        unsigned char byte = word_byte(chunk[i]);
        if (byte == 0) close_word(word, words);
        else if (word->length < WORD_LIMIT) word->bytes[word->length++] = byte;
    }
}

static bool count_input(const input_t *input, uint64_t before, uint64_t all, words_t *words, bar_t *bar) {
    unsigned char chunk[CHUNK_SIZE];
    open_word_t word = {.length = 0};
    uint64_t offset = 0;
    ssize_t got = 0;
    int file = input_open(input);
    while (file >= 0 && offset < input->size) {
        uint64_t left = input->size - offset;
        got = pread(file, chunk, left < CHUNK_SIZE ? (size_t)left : CHUNK_SIZE, (off_t)offset);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) break;
        count_chunk(&word, chunk, (size_t)got, words);
        offset += (uint64_t)got;
        bar_draw(bar, "checking", before + offset, all, words->total);
    }
    close_word(&word, words);
    if (offset < input->size) {
        const char *reason = file < 0 || got < 0 ? strerror(errno) : "became shorter while it was read";
        bar_clear(bar);
        fprintf(stderr, "wordcount: %s: cannot be read again for the check: %s\n", input->path, reason);
    }
    if (file >= 0) close(file);
    return offset == input->size;
}

bool check_count(inputs_t *inputs, words_t *words, bar_t *bar) {
    uint64_t before = 0, all = inputs_bytes(inputs);
    bool is_complete = true;
    for (size_t i = 0; i < inputs->count; i++) {
        const input_t *input = &inputs->all[i];
        if (input->problem[0] != '\0') continue;
        if (!count_input(input, before, all, words, bar)) is_complete = false;
        before += input->size;
    }
    return is_complete;
}

bool check_equal(const words_t *counted, const words_t *expected) {
    for (size_t i = 0; i < counted->different; i++) {
        const word_t *word = &counted->list[i];
        uint64_t count = words_count(expected, counted, word);
        if (count == word->count) continue;
        fputs("wordcount: the counts differ: \"", stderr);
        text_print(stderr, counted->text + word->offset, word->length);
        fprintf(stderr, "\" was counted %" PRIu64 " times over the queue and %" PRIu64 " times by one thread\n",
                word->count, count);
        return false;
    }
    if (counted->different == expected->different) return true;
    fprintf(stderr, "wordcount: the counts differ: %zu different words over the queue and %zu by one thread\n",
            counted->different, expected->different);
    return false;
}
