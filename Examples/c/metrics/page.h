/* page.h: what Prometheus reads of some queues. */
#ifndef PAGE_H
#define PAGE_H

#include <serial_queue.h>

#include <stdio.h>

/* Writes the page, in the text format 0.0.4. Queues that have the same label and stand one after the other share their series. Their histograms
 * are on, or they are empty. */
void page_write(FILE *out, sq_queue_t *const queues[], size_t count);

#endif
