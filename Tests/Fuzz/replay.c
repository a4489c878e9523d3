/* replay.c: runs each file that is named as one program, in a process of its own, without libFuzzer. Prints the names of those
 * that fail, and `N passed, N failed`. A program that hangs is ended after a minute. SQ_FUZZ_FIRST=1 is for a core with a seeded bug: stops
 * at the first that fails, and ends a program that hangs after 15 seconds. */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static int run_file(const char *name) {
    static uint8_t bytes[1 << 16];
    FILE *file = fopen(name, "rb");
    if (file == NULL) {
        perror(name);
        return 1;
    }
    size_t size = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    alarm(getenv("SQ_FUZZ_FIRST") != NULL ? 15 : 60);
    LLVMFuzzerTestOneInput(bytes, size);
    return 0;
}

int main(int count, char **names) {
    int failed = 0;
    for (int i = 1; i < count; i += 1) {
        fflush(NULL);
        pid_t child = fork();
        if (child == 0) {
            exit(run_file(names[i]));
        }
        int status = 1;
        if (child < 0 || waitpid(child, &status, 0) != child || status != 0) {
            printf("FAIL %s (status %d)\n", names[i], status);
            failed += 1;
            if (getenv("SQ_FUZZ_FIRST") != NULL) {
                return 1;
            }
        }
    }
    printf("%d passed, %d failed\n", count - 1 - failed, failed);
    return failed != 0;
}
