# make/dispatch.mk: libserialqueue-dispatch, libdispatch's calls for C programs on the library's public API.

DISPATCH := Sources/CDispatch
DISPATCH_SOURCES := $(sort $(wildcard $(DISPATCH)/*.c))
DISPATCH_STATIC_OBJECTS := $(DISPATCH_SOURCES:$(DISPATCH)/%.c=$(OUT)/dispatch/static/%.o)
DISPATCH_SHARED_OBJECTS := $(DISPATCH_SOURCES:$(DISPATCH)/%.c=$(OUT)/dispatch/shared/%.o)
DISPATCH_STATIC := $(OUT)/libserialqueue-dispatch.a
DISPATCH_SHARED := $(OUT)/libserialqueue-dispatch.so.$(VERSION)
DISPATCH_HEADERS := $(sort $(wildcard $(DISPATCH)/include/dispatch/*.h))

# It sees the public headers of the core, and nothing else of it.
COMPILE_DISPATCH = $(filter-out -I$(CORE),$(COMPILE)) -I$(DISPATCH)/include

dispatch-files: $(DISPATCH_STATIC) $(DISPATCH_SHARED)

$(OUT)/dispatch/static/%.o: $(DISPATCH)/%.c $(OUT)/flags
	@mkdir -p $(@D)
	$(call show,CC,$<)$(COMPILE_DISPATCH) -c $< -o $@

$(OUT)/dispatch/shared/%.o: $(DISPATCH)/%.c $(OUT)/flags
	@mkdir -p $(@D)
	$(call show,CC -fPIC,$<)$(COMPILE_DISPATCH) -fPIC -fno-semantic-interposition -c $< -o $@

$(DISPATCH_STATIC): $(DISPATCH_STATIC_OBJECTS)
	@rm -f $@
	$(call show,AR,$@)$(AR) rcsD $@ $^

# sq_dispatch_…: the symbols of the headers. Blocks need two weak ones of the program's runtime of blocks.
DISPATCH_MAP := $(OUT)/libserialqueue-dispatch.map
$(DISPATCH_MAP): make/dispatch.mk
	@mkdir -p $(@D)
	@printf 'SERIALQUEUE_DISPATCH_%s {\n    global: sq_dispatch_*;\n    local: *;\n};\n' $(basename $(VERSION)) > $@

$(DISPATCH_SHARED): $(DISPATCH_SHARED_OBJECTS) $(DISPATCH_MAP) $(SHARED_LIBRARY)
	$(call show,LINK,$@)$(LINK) -shared -Wl,-soname,libserialqueue-dispatch.so.$(SOVERSION) -Wl,--version-script=$(DISPATCH_MAP) \
	    -Wl,-Bsymbolic-functions -Wl,--no-undefined -Wl,-z,nodelete $(DISPATCH_SHARED_OBJECTS) $(SHARED_LIBRARY) -o $@

.PHONY: dispatch-files

-include $(DISPATCH_STATIC_OBJECTS:.o=.d) $(DISPATCH_SHARED_OBJECTS:.o=.d)
