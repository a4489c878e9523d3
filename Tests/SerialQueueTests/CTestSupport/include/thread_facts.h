/* thread_facts.h: what glibc knows of a thread and Swift does not import. */
#ifndef THREAD_FACTS_H
#define THREAD_FACTS_H

/* In bytes; 0 if it cannot be told. */
long stack_size_of_this_thread(void);

#endif
