# make/testing.mk: libserialqueue-testing, which explores the schedules of a program's tests; a library of its own, which tests alone link.

TESTING := Sources/CSerialQueueTesting
TESTING_SOURCES := $(sort $(wildcard $(TESTING)/*/*.c))
TESTING_STATIC_OBJECTS := $(TESTING_SOURCES:$(TESTING)/%.c=$(OUT)/testing/static/%.o)
TESTING_SHARED_OBJECTS := $(TESTING_SOURCES:$(TESTING)/%.c=$(OUT)/testing/shared/%.o)
TESTING_STATIC := $(OUT)/libserialqueue-testing.a
TESTING_SHARED := $(OUT)/libserialqueue-testing.so.$(VERSION)

# It stands above all rooms of the core, and sees them. What it needs at run time is listed in make/testing-needs.
COMPILE_TESTING = $(COMPILE) -I$(TESTING) -I$(TESTING)/include

testing-files: $(TESTING_STATIC) $(TESTING_SHARED)

$(OUT)/testing/static/%.o: $(TESTING)/%.c $(OUT)/flags
	@mkdir -p $(@D)
	$(call show,CC,$<)$(COMPILE_TESTING) -c $< -o $@

$(OUT)/testing/shared/%.o: $(TESTING)/%.c $(OUT)/flags
	@mkdir -p $(@D)
	$(call show,CC -fPIC,$<)$(COMPILE_TESTING) -fPIC -fno-semantic-interposition -c $< -o $@

$(TESTING_STATIC): $(TESTING_STATIC_OBJECTS)
	@rm -f $@
	$(call show,AR,$@)$(AR) rcsD $@ $^

TESTING_MAP := $(OUT)/libserialqueue-testing.map
$(TESTING_MAP): scripts/version-script $(wildcard make/abi-testing.xml) $(wildcard $(TESTING)/include/*.h)
	@mkdir -p $(@D)
	@scripts/version-script $(VERSION) testing > $@

$(TESTING_SHARED): $(TESTING_SHARED_OBJECTS) $(TESTING_MAP) $(SHARED_LIBRARY)
	$(call show,LINK,$@)$(LINK) -shared -Wl,-soname,libserialqueue-testing.so.$(SOVERSION) -Wl,--version-script=$(TESTING_MAP) \
	    -Wl,-Bsymbolic-functions -Wl,--no-undefined -Wl,-z,nodelete $(TESTING_SHARED_OBJECTS) $(SHARED_LIBRARY) -o $@

.PHONY: testing-files

-include $(TESTING_STATIC_OBJECTS:.o=.d) $(TESTING_SHARED_OBJECTS:.o=.d)
