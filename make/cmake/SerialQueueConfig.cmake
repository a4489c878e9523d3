# SerialQueueConfig.cmake: the installed library for CMake.
#
#     find_package(SerialQueue 0.1 REQUIRED)
#     target_link_libraries(app PRIVATE SerialQueue::SerialQueue)         # or SerialQueue::Static
#     target_link_libraries(app PRIVATE SerialQueue::Dispatch)            # <dispatch/dispatch.h>; or SerialQueue::DispatchStatic
#     target_link_libraries(tests PRIVATE SerialQueue::Testing)           # <sq_explore.h>, for tests alone; or SerialQueue::TestingStatic
#
# make install replaces the words between @ signs. Folders are relative to this file, so that what is installed can be moved as a whole;
# REALPATH: where /lib is a link to /usr/lib, the way up from it is not that from /usr/lib.
get_filename_component(SerialQueue_HERE "${CMAKE_CURRENT_LIST_DIR}" REALPATH)
get_filename_component(SerialQueue_LIBDIR "${SerialQueue_HERE}/@LIBDIR@" ABSOLUTE)
get_filename_component(SerialQueue_INCLUDEDIR "${SerialQueue_HERE}/@INCLUDEDIR@" ABSOLUTE)
get_filename_component(SerialQueue_DISPATCHDIR "${SerialQueue_HERE}/@DISPATCHDIR@" ABSOLUTE)
include(CMakeFindDependencyMacro)
find_dependency(Threads)

if(NOT TARGET SerialQueue::SerialQueue)
    add_library(SerialQueue::SerialQueue SHARED IMPORTED)
    set_target_properties(SerialQueue::SerialQueue PROPERTIES
        IMPORTED_LOCATION "${SerialQueue_LIBDIR}/libserialqueue.so.@VERSION@"
        IMPORTED_SONAME "libserialqueue.so.@SOVERSION@"
        INTERFACE_INCLUDE_DIRECTORIES "${SerialQueue_INCLUDEDIR}")

    add_library(SerialQueue::Static STATIC IMPORTED)
    set_target_properties(SerialQueue::Static PROPERTIES
        IMPORTED_LOCATION "${SerialQueue_LIBDIR}/libserialqueue.a"
        INTERFACE_INCLUDE_DIRECTORIES "${SerialQueue_INCLUDEDIR}"
        INTERFACE_LINK_LIBRARIES Threads::Threads)

    # The core is linked, too, although a program does not call it: so the loader finds it in the same folder.
    add_library(SerialQueue::Dispatch SHARED IMPORTED)
    set_target_properties(SerialQueue::Dispatch PROPERTIES
        IMPORTED_LOCATION "${SerialQueue_LIBDIR}/libserialqueue-dispatch.so.@VERSION@"
        IMPORTED_SONAME "libserialqueue-dispatch.so.@SOVERSION@"
        INTERFACE_INCLUDE_DIRECTORIES "${SerialQueue_DISPATCHDIR}"
        INTERFACE_LINK_LIBRARIES "-Wl,--push-state,--no-as-needed;SerialQueue::SerialQueue;-Wl,--pop-state")

    add_library(SerialQueue::DispatchStatic STATIC IMPORTED)
    set_target_properties(SerialQueue::DispatchStatic PROPERTIES
        IMPORTED_LOCATION "${SerialQueue_LIBDIR}/libserialqueue-dispatch.a"
        INTERFACE_INCLUDE_DIRECTORIES "${SerialQueue_DISPATCHDIR}"
        INTERFACE_LINK_LIBRARIES SerialQueue::Static)

    add_library(SerialQueue::Testing SHARED IMPORTED)
    set_target_properties(SerialQueue::Testing PROPERTIES
        IMPORTED_LOCATION "${SerialQueue_LIBDIR}/libserialqueue-testing.so.@VERSION@"
        IMPORTED_SONAME "libserialqueue-testing.so.@SOVERSION@"
        INTERFACE_LINK_LIBRARIES SerialQueue::SerialQueue)

    add_library(SerialQueue::TestingStatic STATIC IMPORTED)
    set_target_properties(SerialQueue::TestingStatic PROPERTIES
        IMPORTED_LOCATION "${SerialQueue_LIBDIR}/libserialqueue-testing.a"
        INTERFACE_LINK_LIBRARIES SerialQueue::Static)
endif()
