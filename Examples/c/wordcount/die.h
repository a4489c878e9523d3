/* die.h: ends the program with a message. */
#ifndef DIE_H
#define DIE_H

/* Prints "wordcount: …" to stderr and ends the process with status 1. Any thread. */
void die(const char *format, ...) __attribute__((noreturn, format(printf, 1, 2)));

#endif
