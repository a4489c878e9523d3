/* bank.h: accounts, each behind a queue, and transfers between them. */
#ifndef BANK_H
#define BANK_H

#include <serial_queue.h>

typedef struct account {
    sq_queue_t *queue; /* only its tasks touch the balance */
    long balance;
} account_t;

typedef struct transfer {
    account_t *from, *to;
    long amount;
    bool is_careful; /* the version without the bug */
    bool is_covered;
} transfer_t;

/* A task of a teller: moves the amount, if the account has that much. */
void transfer_run(void *transfer);

#endif
