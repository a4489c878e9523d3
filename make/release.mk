# make/release.mk: what a release is made of. The version stands once, in Sources/CSerialQueue/include/sq_version.h.

DIST := build/serialqueue-$(VERSION).tar.gz

# The tracked files as they are now; git names the commit's time for all of them, so the same commit makes the same bytes.
dist: amalgamation ## build/serialqueue-VERSION.tar.gz: the tracked files, and the amalgamation; builds without git
	@mkdir -p build
	@set -e; commit=$$(git stash create); \
	    git archive --format=tar --prefix=serialqueue-$(VERSION)/amalgamation/ --add-file=$(AMALGAMATION)/serial_queue.c \
	        --add-file=$(AMALGAMATION)/serial_queue.h --prefix=serialqueue-$(VERSION)/ $${commit:-HEAD} | gzip -n -9 > $(DIST)
	@echo $(DIST)

check-abi: ## exported symbols and layouts of public structs are those of the last release (make/abi.xml)
	$(call need,gcc libc abidiff)
	$(call check_parts,abi)

check-release: ## the version is the same everywhere; the tarball builds without git, elsewhere, and bit for bit the same
	$(call need,$(C_TOOLS))
	$(call check_parts,release)

check-manual: ## the manual pages: one for each function, and nothing that mandoc warns of
	$(call need,python3 mandoc)
	$(call check_parts,manual)

check-debian: ## builds the Debian packages, checks them with lintian, installs and uses them in a clean root (some minutes; root)
	$(call need,dpkg-buildpackage dh lintian autopkgtest mmdebstrap mandoc python3)
	$(call check_parts,debian)

man: ## build/man: manual pages, from the headers' comments
	$(call need,python3)
	@scripts/manual build/man $(VERSION)

.PHONY: dist check-abi check-release check-manual check-debian man
