# The port builds the tree that it is in: vcpkg install serialqueue --overlay-ports=FOLDER/packaging/vcpkg
# A registry's port has vcpkg_from_github here instead.
get_filename_component(SOURCE_PATH "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)

# CMake's files are relative to their folder, which a port has in share: so there is one build type.
set(VCPKG_BUILD_TYPE release)
vcpkg_cmake_configure(SOURCE_PATH "${SOURCE_PATH}" OPTIONS -DSERIALQUEUE_INSTALL=ON -DSERIALQUEUE_CMAKEDIR=share/serialqueue)
vcpkg_cmake_install()
vcpkg_fixup_pkgconfig()

# A port has one kind of libraries, that of its triplet.
if(VCPKG_LIBRARY_LINKAGE STREQUAL "static")
    file(GLOB others "${CURRENT_PACKAGES_DIR}/lib/*.so*")
else()
    file(GLOB others "${CURRENT_PACKAGES_DIR}/lib/*.a")
endif()
file(REMOVE ${others})
file(REMOVE_RECURSE "${CURRENT_PACKAGES_DIR}/bin") # sq-trace
file(INSTALL "${CMAKE_CURRENT_LIST_DIR}/usage" DESTINATION "${CURRENT_PACKAGES_DIR}/share/${PORT}")
vcpkg_install_copyright(FILE_LIST "${SOURCE_PATH}/LICENSE")
