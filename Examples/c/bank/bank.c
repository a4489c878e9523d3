/* bank.c: see bank.h. No balance is ever touched by two threads at a time, and still there is a bug. */
#include "bank.h"

static void look(void *context) {
    transfer_t *transfer = context;
    transfer->is_covered = transfer->from->balance >= transfer->amount;
}

static void withdraw(void *context) {
    transfer_t *transfer = context;
    transfer->from->balance -= transfer->amount;
}

static void look_and_withdraw(void *context) {
    look(context);
    if (((transfer_t *)context)->is_covered) withdraw(context);
}

static void deposit(void *context) {
    transfer_t *transfer = context;
    transfer->to->balance += transfer->amount;
}

void transfer_run(void *context) {
    transfer_t *transfer = context;
    if (transfer->is_careful) {
        sq_sync(transfer->from->queue, look_and_withdraw, transfer);
    } else {
        sq_sync(transfer->from->queue, look, transfer);
        if (transfer->is_covered) sq_sync(transfer->from->queue, withdraw, transfer);
    }
    if (transfer->is_covered) sq_async(transfer->to->queue, deposit, transfer);
}
