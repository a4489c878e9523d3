/* words.h: what a word is, and a table that counts how often each one occurred.
 *
 * A word is a longest run of ASCII letters, ASCII digits and bytes from 0x80 up (so UTF-8 text stays whole), with ASCII
 * letters in lower case. Only its first WORD_LIMIT bytes count: a file without any separator is one word, not a word as
 * large as the file. */
#ifndef WORDS_H
#define WORDS_H

#include <stddef.h>
#include <stdint.h>

enum { WORD_LIMIT = 255 };

/* The byte as part of a word, 0 if it separates words. */
static inline unsigned char word_byte(unsigned char byte) {
    unsigned char lower = byte | 0x20;
    if ((unsigned char)(lower - 'a') < 26) return lower;
    return byte >= 0x80 || (unsigned char)(byte - '0') < 10 ? byte : 0;
}

typedef struct word {
    size_t offset;   /* of its bytes in words_t.text */
    uint64_t count;
    uint32_t hash;
    uint32_t length;
} word_t;

/* All zeroes is an empty table. It is not locked: one thread at a time may use it. */
typedef struct words {
    word_t *list;         /* every different word, in the order of first sight */
    size_t different;     /* how many of them there are */
    uint64_t total;       /* the sum of their counts */
    uint32_t *slots;      /* hash table of indexes into list, plus one; 0 is free. Linear probing. */
    size_t slot_count;    /* a power of two, at least twice `different` */
    unsigned char *text;  /* the bytes of all words, one after the other */
    size_t text_used, text_size;
} words_t;

void words_free(words_t *words);

/* Counts one more occurrence of these bytes (already folded by word_byte, at most WORD_LIMIT of them). */
void words_add(words_t *words, const unsigned char *bytes, size_t length);

/* Adds all counts of `other`. */
void words_merge(words_t *words, const words_t *other);

/* How often the word, which may come from another table, occurs in this one. */
uint64_t words_count(const words_t *words, const words_t *owner, const word_t *word);

/* Counts the words that begin in bytes[first, end). The buffer holds `length` bytes: one before `first` unless the text
 * begins there, so that a word already running is recognised as another piece's, and up to WORD_LIMIT after `end`, so
 * that a word running on is whole. */
void words_add_piece(words_t *words, const unsigned char *bytes, size_t first, size_t end, size_t length);

/* Orders by frequency, ties by their bytes. Afterwards the table is a sorted list and finds words no longer. */
void words_sort(words_t *words);

#endif
