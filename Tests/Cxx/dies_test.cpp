// dies_test.cpp: an exception that leaves an asynchronous task ends the program, with its what() and the queue's label.
#include "check.hpp"

#include <csignal>
#include <stdexcept>
#include <string>
#include <sys/wait.h>

extern const char *program;
int die(const char *way);

static void throws() { throw std::runtime_error("it was thrown"); }

int die(const char *way_text) {
    const std::string way = way_text;
    sq::queue queue("com.example.dies");
    sq::group group;
    sq::work_item item(throws);
    std::set_terminate([] {
        std::fprintf(stderr, "handler: %s\n", std::current_exception() ? "current" : "none");
        _exit(3);
    });
    if (way == "async") {
        queue.async(throws);
    } else if (way == "number") {
        queue.async([] { throw 42; });
    } else if (way == "after") {
        queue.async_after(std::chrono::nanoseconds(1), throws);
    } else if (way == "group") {
        group.async(queue, throws);
    } else if (way == "item") {
        item.submit(queue);
    } else if (way == "timer") {
        sq::timer timer(queue, throws);
        timer.start(std::chrono::nanoseconds(1));
        sq::semaphore(0).wait();
    }
    sq::semaphore(0).wait();
    return 0;
}

static std::string output_of(const std::string &way, int &status) {
    std::string output;
    FILE *pipe = popen(('"' + std::string(program) + "\" " + way + " 2>&1").c_str(), "r");
    for (int letter; (letter = std::fgetc(pipe)) != EOF;) {
        output += static_cast<char>(letter);
    }
    status = pclose(pipe);
    return output;
}

TEST(an_exception_out_of_a_task_ends_the_program_with_its_text_and_the_label) {
    for (const char *way : { "async", "after", "group", "item", "timer", "number" }) {
        int status;
        std::string output = output_of(way, status);
        CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 3);
        CHECK(output.find("left a task of queue \"com.example.dies\"") != std::string::npos);
        CHECK((output.find("it was thrown") != std::string::npos) == (std::string(way) != "number"));
        CHECK(output.find("handler: current") != std::string::npos);
    }
}
