# make/docs.mk: the documentation as one site: the Swift modules, from their doc comments and the articles in their catalogs; the C headers,
# from their manual pages; the pages of Documentation.

DOCS := build/docs
# Where the site is hosted. Nothing else says it.
DOCS_URL ?= http://localhost:8000/
# The path in it, with which DocC's links begin.
DOCS_PATH = $(shell printf '%s' '$(DOCS_URL)' | sed 's,^[a-z]*://[^/]*,,; s,/*$$,,; s,^/,,')
# Modules and their catalogs.
CATALOGS := SerialQueue:Sources/SerialQueue SerialQueueOrdered:Sources/Ordered SerialQueueOperations:Sources/Operations SerialQueueDispatch:Sources/Dispatch \
    SerialQueueDispatchTesting:Sources/DispatchTesting SerialQueueTesting:Sources/SerialQueueTesting
# The folder with the built modules, whose comments are in them. A check passes one that it has built.
DOCS_MODULES ?= .build/debug
# The one next to the compiler, wherever the PATH's `swift` points to.
DOCC ?= $(shell command -v docc || dirname "$$(readlink -f "$$(command -v $(SWIFT))")" | sed 's,$$,/docc,')

docs: ## build/docs/html: one site of the Swift modules and the C headers (DOCS_URL); a warning fails it, and a symbol without a topic
	$(call need,$(SWIFT_TOOLS) python3 mandoc lowdown)
	@[ -x "$(DOCC)" ] || { echo "make docs needs docc, which comes with the Swift toolchain (swift.org/install); there is none at '$(DOCC)'." >&2; exit 1; }
	@rm -rf $(DOCS) && mkdir -p $(DOCS)
	@if [ '$(DOCS_MODULES)' = .build/debug ]; then \
	    for module in SerialQueueOrdered SerialQueueOperations SerialQueueDispatchTesting SerialQueueTesting; do SWIFT='$(SWIFT)' scripts/swift-build -j 2 --target $$module || exit 1; done; \
	fi
	@# What the checks know a block by is not for its readers: to DocC the whole line is the name of the language.
	@set -e; for one in $(CATALOGS); do \
	    module=$${one%%:*}; \
	    cp -R $${one#*:}/$$module.docc $(DOCS)/$$module.docc; \
	    sed -i 's/^```swift .*/```swift/; s/^```text .*/```text/' $(DOCS)/$$module.docc/*.md; \
	    mkdir -p $(DOCS)/symbols-$$module; \
	    $(SWIFT) symbolgraph-extract -module-name $$module $$(scripts/module-flags $(DOCS_MODULES)) -module-cache-path $(DOCS)/cache \
	        -target "$$($(SWIFT) -print-target-info | sed -n 's/.*"unversionedTriple": "\(.*\)".*/\1/p')" \
	        -minimum-access-level public -emit-extension-block-symbols -skip-synthesized-members -output-dir $(DOCS)/symbols-$$module; \
	    "$(DOCC)" convert $(DOCS)/$$module.docc --additional-symbol-graph-dir $(DOCS)/symbols-$$module \
	        --output-path $(DOCS)/$$module.doccarchive --fallback-bundle-identifier $$module --warnings-as-errors \
	        $(if $(DOCS_PATH),--hosting-base-path '$(DOCS_PATH)'); \
	done
	@scripts/check-topics $(foreach one,$(CATALOGS),$(DOCS)/$(firstword $(subst :, ,$(one))).doccarchive)
	@# One folder, one server, one sidebar for all of them.
	@rm -rf $(DOCS)/html && "$(DOCC)" merge $(foreach one,$(CATALOGS),$(DOCS)/$(firstword $(subst :, ,$(one))).doccarchive) \
	    --synthesized-landing-page-name 'Serial queues' --synthesized-landing-page-topics-style list --output-path $(DOCS)/html
	@# Next to them the C headers, and the page that a visitor sees first.
	@$(MAKE) --no-print-directory -s man
	@# All pages in one folder: a name that mandoc finds there links to its page, and another one (errno) to the web.
	@mkdir -p $(DOCS)/html/c $(DOCS)/man && ln -s '$(CURDIR)'/build/man/man*/* $(DOCS)/man
	@set -e; cd $(DOCS)/man; for page in *; do \
	    mandoc -T html -O 'man=%N.%S.html;https://manpages.debian.org/%N.%S,style=style.css' $$page > ../html/c/$$page.html; \
	done
	@cp Documentation/Site/style.css $(DOCS)/html/c/ && cp Documentation/Site/index.html Documentation/Site/search.js $(DOCS)/html/
	@# And the pages for both languages.
	@scripts/site-pages $(DOCS)/html
	@printf '%s\n' 'To read it here: python3 -m http.server --directory $(DOCS)/html 8000' 'then open  $(DOCS_URL)'

.PHONY: docs
