/* fuzz.c: the entry for libFuzzer. SQ_FUZZ_SHOW=1 prints each program before it runs. */
#include "drive.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    static program_t program;
    program_read(&program, bytes, size);
    if (getenv("SQ_FUZZ_SHOW") != NULL) {
        program_print(&program);
    }
    drive_run(&program);
    return 0;
}
