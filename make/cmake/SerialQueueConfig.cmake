# SerialQueueConfig.cmake: the installed library for CMake.
#
#     find_package(SerialQueue 0.1 REQUIRED)
#     target_link_libraries(app PRIVATE SerialQueue::SerialQueue)         # or SerialQueue::Static
#
# make install replaces the words between @ signs.
include(CMakeFindDependencyMacro)
find_dependency(Threads)

if(NOT TARGET SerialQueue::SerialQueue)
    add_library(SerialQueue::SerialQueue SHARED IMPORTED)
    set_target_properties(SerialQueue::SerialQueue PROPERTIES
        IMPORTED_LOCATION "@LIBDIR@/libserialqueue.so.@VERSION@"
        IMPORTED_SONAME "libserialqueue.so.@SOVERSION@"
        INTERFACE_INCLUDE_DIRECTORIES "@INCLUDEDIR@")

    add_library(SerialQueue::Static STATIC IMPORTED)
    set_target_properties(SerialQueue::Static PROPERTIES
        IMPORTED_LOCATION "@LIBDIR@/libserialqueue.a"
        INTERFACE_INCLUDE_DIRECTORIES "@INCLUDEDIR@"
        INTERFACE_LINK_LIBRARIES Threads::Threads)
endif()
