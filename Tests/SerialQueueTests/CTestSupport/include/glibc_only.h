/* glibc_only.h: what glibc offers and Swift does not import. */
#ifndef GLIBC_ONLY_H
#define GLIBC_ONLY_H

/* In bytes; 0 if it is not known. */
long stack_size_of_this_thread(void);

/* As the system numbers it. */
unsigned long id_of_this_thread(void);

/* Forks and returns in the child. The parent waits for it and ends as it did. */
void continue_in_a_forked_child(void);

#endif
