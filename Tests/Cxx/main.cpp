// main.cpp: runs the tests; with a word, the way to die of dies_test.cpp.
#include "check.hpp"

#include <unistd.h>

int failed_checks = 0;
const char *program = nullptr;
int die(const char *way);

std::vector<test_case> &tests() {
    static std::vector<test_case> all;
    return all;
}

int main(int count, char **words) {
    alarm(120); // a hang ends the program
    if (count > 1) {
        return die(words[1]);
    }
    program = words[0];
    for (const test_case &test : tests()) {
        int before = failed_checks;
        try {
            test.body();
        } catch (const std::exception &exception) {
            ++failed_checks;
            std::printf("    it threw: %s\n", exception.what());
        }
        std::printf("%s %s\n", failed_checks == before ? "ok" : "FAIL", test.name);
        std::fflush(stdout);
    }
    return failed_checks != 0;
}
