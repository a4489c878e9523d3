/* machine.h: on what the scenarios run: simulate.c or real.c. */
#ifndef SCALING_MACHINE_H
#define SCALING_MACHINE_H

#include "serial_queue.h"

#include <stddef.h>

/* The scenario has made this: the simulation counts its lines by kind. */
void sc_know_queue(sq_queue_t *queue);
void sc_know_pool(sq_pool_t *pool);
void sc_know_object(const void *object, size_t bytes);

#endif
