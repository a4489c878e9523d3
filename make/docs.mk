# make/docs.mk: the documentation of the Swift layer, from its doc comments and the articles in its catalog.

DOCS := build/docs
CATALOG := Sources/SerialQueue/SerialQueue.docc
# The one next to the compiler, wherever the PATH's `swift` points to.
DOCC ?= $(shell command -v docc || dirname "$$(readlink -f "$$(command -v $(SWIFT))")" | sed 's,$$,/docc,')

docs: ## build/docs/SerialQueue.doccarchive: the documentation of the Swift layer; a warning fails it
	$(call need,$(SWIFT_TOOLS))
	@[ -x "$(DOCC)" ] || { echo "make docs needs docc, which comes with the Swift toolchain (swift.org/install); there is none at '$(DOCC)'." >&2; exit 1; }
	@# The symbols stay: a build that finds nothing to do does not write them again.
	@rm -rf $(DOCS)/SerialQueue.docc && mkdir -p $(DOCS)/symbols
	env -u CC $(SWIFT) build -j 2 --target SerialQueue --scratch-path $(DOCS)/.build \
	    -Xswiftc -emit-symbol-graph -Xswiftc -emit-symbol-graph-dir -Xswiftc $(CURDIR)/$(DOCS)/symbols \
	    -Xswiftc -emit-extension-block-symbols
	@# What the checks know a block by is not for its readers: to DocC the whole line is the name of the language.
	@cp -R $(CATALOG) $(DOCS)/SerialQueue.docc
	@sed -i 's/^```swift .*/```swift/; s/^```text .*/```text/' $(DOCS)/SerialQueue.docc/*.md
	"$(DOCC)" convert $(DOCS)/SerialQueue.docc --additional-symbol-graph-dir $(DOCS)/symbols \
	    --output-path $(DOCS)/SerialQueue.doccarchive --fallback-bundle-identifier SerialQueue --warnings-as-errors
	@echo "To read it: python3 -m http.server --directory $(DOCS)/SerialQueue.doccarchive 8000, then http://localhost:8000/documentation/serialqueue"

.PHONY: docs
