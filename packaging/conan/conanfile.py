"""conanfile.py: a recipe for Conan 2 that packs the tree that it is in: conan create packaging/conan"""
import os
import re

from conan import ConanFile
from conan.errors import ConanInvalidConfiguration
from conan.tools.cmake import CMake, CMakeToolchain, cmake_layout
from conan.tools.files import copy, load, rm, rmdir


class SerialQueue(ConanFile):
    name = 'serialqueue'
    license = 'MIT'
    description = 'Serial queues for C and C++ on Linux: tasks that run one at a time, in order'
    settings = 'os', 'arch', 'compiler', 'build_type'
    options = {'shared': [True, False]}
    default_options = {'shared': False}
    package_type = 'library'

    def set_version(self):
        """From the header, where it stands once."""
        header = os.path.join(self.recipe_folder, '../../Sources/CSerialQueue/include/sq_version.h')
        if os.path.exists(header):  # an exported recipe knows its version
            self.version = '.'.join(re.findall(r'#define SQ_VERSION_(?:MAJOR|MINOR|PATCH) (\d+)', load(self, header)))

    def export_sources(self):
        top = os.path.join(self.recipe_folder, '../..')
        for pattern in 'CMakeLists.txt', 'LICENSE', 'Sources/C*', 'Tools/*', 'make/*', 'scripts/version-script':
            copy(self, pattern, top, self.export_sources_folder)

    def validate(self):
        if self.settings.os != 'Linux':
            raise ConanInvalidConfiguration('serialqueue is for Linux')

    def configure(self):  # the core is C
        self.settings.rm_safe('compiler.cppstd')
        self.settings.rm_safe('compiler.libcxx')

    def layout(self):
        cmake_layout(self)

    def generate(self):
        toolchain = CMakeToolchain(self)
        toolchain.user_presets_path = False  # nothing of it stays in the tree
        toolchain.cache_variables['SERIALQUEUE_INSTALL'] = True
        toolchain.generate()

    def build(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.build()

    def package(self):
        CMake(self).install()
        copy(self, 'LICENSE', self.source_folder, os.path.join(self.package_folder, 'licenses'))
        for folder in 'cmake', 'pkgconfig':  # Conan makes them
            rmdir(self, os.path.join(self.package_folder, 'lib', folder))
        rm(self, '*.a' if self.options.shared else '*.so*', os.path.join(self.package_folder, 'lib'))

    def package_info(self):
        self.cpp_info.set_property('cmake_file_name', 'SerialQueue')
        self.cpp_info.set_property('cmake_target_name', 'SerialQueue::SerialQueue' if self.options.shared else 'SerialQueue::Static')
        self.cpp_info.set_property('pkg_config_name', 'serialqueue')
        self.cpp_info.includedirs = ['include/serialqueue']
        self.cpp_info.libs = ['serialqueue']
        self.cpp_info.system_libs = ['pthread']
