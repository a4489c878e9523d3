// store.cpp: a program that uses the package.
#include <serial_queue.hpp>

int main() {
    sq::queue queue("packaged");
    int calls = 0;
    queue.async([&calls] { ++calls; });
    return queue.sync([&calls] { return calls; }) != 1;
}
