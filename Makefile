# Two commands for a newcomer: "make demo" and "make check". CMake does the work underneath.

SCENE ?= scenes/demo.xml
PREFIX ?= /usr/local
FUZZ_SECONDS ?= 60

help:
	@echo "make demo      install what is missing, build, run two scenes and show what to open"
	@echo "               (SCENE=file.xml for another scene)"
	@echo "make check     install what is missing, build and run all tests, with sanitizers"
	@echo "make check-long  the same, with the long tests under the address sanitizer, too"
	@echo "make bench     the speed of this machine, as a table"
	@echo "make figures   measure the tables of docs/performance.md and docs/solvers.md; on a quiet machine"
	@echo "make survey    the long form of the mesher's tests: 200 random solids, 50 broken surfaces, the shapes that people try first"
	@echo "make reproduce  every study of studies/, the sources' numbers beside ours: out/report.html; goes on where it was stopped"
	@echo "make fuzz      look for inputs that break a reader, FUZZ_SECONDS=60 for each target"
	@echo "make analyse   static analysis by gcc, cppcheck and clang-tidy; fails on a new finding"
	@echo "make memcheck  the quick tests under valgrind: values that were never set"
	@echo "make bits      the same bits from other compilers, settings, C libraries, aarch64 under qemu and WebAssembly"
	@echo "make bits-long  the same over 200 steps, for scenes that take a build less than BITS_SECONDS=60"
	@echo "make site      the page without a server in build/site, the npm package in build/npm (emscripten, 800 MB)"
	@echo "make site-check  tests of both in node and headless Chromium, and their sizes"
	@echo "make mutants   changes the sources of some rooms and looks whether tests notice"
	@echo "make coverage  which lines of io and view no test runs"
	@echo "make docs      the manual as HTML, in build/docs"
	@echo "make deb       Debian packages of library, command and Python package, in build/deb"
	@echo "make install   the library and the command below PREFIX=/usr/local"
	@echo "make format    lay out all sources by .clang-format"
	@echo "make clean     remove everything that was built"

demo:
	@scripts/install-deps.sh build
	@scripts/build.sh release
	@build/release/pliant run $(SCENE)
	@build/release/pliant run scenes/jellies.xml
	@echo "To take it in your hand, in the browser: build/release/pliant view $(SCENE)"

check:
	@scripts/install-deps.sh check
	@scripts/check.sh

check-long:
	@scripts/install-deps.sh check
	@scripts/check.sh --long

bench:
	@scripts/install-deps.sh build
	@scripts/build.sh release
	@build/release/pliant bench

figures:
	@scripts/install-deps.sh build
	@scripts/build.sh release pliant_command
	@bench/figures.sh $(ROUNDS)

survey:
	@scripts/install-deps.sh build
	@scripts/build.sh release
	@PLIANT_LONG=1 ctest --test-dir build/release --verbose -R '^(mesh/(fill|skin)|cli/shapes)$$'

reproduce:
	@scripts/install-deps.sh check
	@scripts/build.sh release pliant_command
	@failed=; for study in studies/*.xml; do build/release/pliant study $$study || failed="$$failed $$study"; done; \
	  [ -s out/solvers.csv ] || build/release/pliant bench --quick --csv out/solvers.csv solvers || failed="$$failed solvers"; \
	  scripts/report.py out out/report.html && [ -z "$$failed" ] || { echo "FAILED:$$failed"; exit 1; }
	@! command -v chromium >/dev/null || chromium --headless --no-sandbox --disable-gpu --no-pdf-header-footer \
	  --print-to-pdf=out/report.pdf file://$(CURDIR)/out/report.html 2>/dev/null || echo "out/report.pdf could not be made"

fuzz:
	@scripts/install-deps.sh fuzz
	@scripts/build.sh fuzz $(notdir $(basename $(wildcard tests/fuzz/fuzz_*.c)))
	@scripts/fuzz.sh $(FUZZ_SECONDS)

analyse:
	@scripts/install-deps.sh analyse
	@scripts/analyse.sh

.PHONY: memcheck
memcheck:
	@scripts/install-deps.sh analyse
	@scripts/build.sh release
	@scripts/memcheck.sh

bits:
	@scripts/install-deps.sh bits
	@scripts/same-bits.sh

bits-long:
	@scripts/install-deps.sh bits
	@BITS_STEPS=200 scripts/same-bits.sh

site:
	@scripts/install-deps.sh site
	@scripts/site.sh

site-check:
	@scripts/install-deps.sh site
	@scripts/site.sh --check

mutants:
	@scripts/install-deps.sh build
	@scripts/build.sh release
	@scripts/mutate.py

.PHONY: coverage
coverage:
	@scripts/install-deps.sh build
	@scripts/build.sh release
	@scripts/coverage.py

install:
	@scripts/install-deps.sh build
	@scripts/build.sh release
	cmake --install build/release --prefix $(PREFIX)

docs:
	@scripts/install-deps.sh docs
	@scripts/build.sh release pliant_command
	@/usr/bin/python3 scripts/docs.py build/release/pliant build/docs

deb:
	@scripts/install-deps.sh deb
	@scripts/deb.sh

format:
	@scripts/install-deps.sh format
	clang-format -i $$(git ls-files '*.c' '*.h')

clean:
	rm -rf build out

.PHONY: help demo check check-long bench figures survey reproduce fuzz analyse bits bits-long site site-check mutants docs deb install format clean
