# Makefile - every target; how things are built stands in rules.mk, what is built in */build.mk

.DEFAULT_GOAL := all
PREFIX   ?= /usr/local
include rules.mk
# each after those whose libraries it needs
include $(addsuffix /build.mk,libutil unwind libdb events formats daemon pp feedback libagent libsampler \
	control operf live packaging/systemd packaging/completion tests)

KDIR     ?= /lib/modules/$(shell uname -r)/build
KARGS    ?= W=1

.PHONY: all module check test unit asan tsan golden fuzz-smoke fuzz interop vm bench lint events-lint quickstart deps install clean help

all: $(programs) $(shared) $(data) $(systemd_units) $(completion)	## build the user-space programs into build/bin

module:				## build oprofile.ko for KDIR's kernel into build/module
	$(Q)control/build-module "$(KDIR)" $(O)/module $(KARGS)

quickstart:			## set everything up, profile this machine for ten seconds, report
	$(Q)control/quickstart

deps:				## install (Debian) or name (elsewhere) what building and testing need
	$(Q)tests/deps all

test:				## everything: unit, golden, fuzz-smoke, interop and VM tests
	$(Q)tests/deps all
	$(Q)tests/run

check: unit golden fuzz-smoke	## what needs no root and no VM

unit asan tsan golden fuzz-smoke interop vm:	## one suite (what they are: tests/run)
	$(Q)tests/run $@

fuzz:				## clang's libFuzzer on each parser, ten CPU-minutes each
	$(Q)O=$(O) tests/fuzz/run

bench: all $(benches)		## print the benchmarks' figures
	$(Q)tests/bench/run

lint:				## W=1 and sparse on the module, clang, shellcheck, headers alone
	$(Q)tests/lint

events-lint: $(O)/tools/events-lint	## check every event table
	$(Q)$< events

install: all			## install programs, man pages (and the module if built) under PREFIX
	install -d $(DESTDIR)$(PREFIX)/bin $(addprefix $(DESTDIR)$(PREFIX)/share/man/man,1 5 8)
	install -m 755 $(programs) $(DESTDIR)$(PREFIX)/bin
	install -d $(DESTDIR)$(PREFIX)/lib $(DESTDIR)$(PREFIX)/include
	cp -P $(shared) $(wildcard $(addsuffix .*,$(shared))) $(DESTDIR)$(PREFIX)/lib
	install -m 644 libagent/opagent.h libsampler/oprofsampler.h $(DESTDIR)$(PREFIX)/include
	install -d $(DESTDIR)$(PREFIX)/lib/pkgconfig
	sed 's|@PREFIX@|$(PREFIX)|; s|@VERSION@|$(sampler_version)|' libsampler/oprofsampler.pc.in \
		> $(DESTDIR)$(PREFIX)/lib/pkgconfig/oprofsampler.pc
	for section in 1 5 8; do \
		install -m 644 doc/man/*.$$section $(DESTDIR)$(PREFIX)/share/man/man$$section; done
	cd events && find */*/events */*/unit_masks | sed 's|/[^/]*$$||' | sort -u | while read -r t; do \
		install -d "$(DESTDIR)$(PREFIX)/share/oprofile/$$t" && \
		install -m 644 "$$t/events" "$$t/unit_masks" "$(DESTDIR)$(PREFIX)/share/oprofile/$$t" || exit; done
	$(Q)if [ -f $(O)/module/oprofile.ko ]; then $(MAKE) -s module-install; fi

module-install:
	install -D -m 644 $(O)/module/oprofile.ko $(DESTDIR)/lib/modules/$(shell uname -r)/updates/oprofile.ko
	$(if $(DESTDIR),,depmod -a)

clean:				## remove what was built
	$(call say,CLEAN)rm -rf $(O)

help:				## list targets and options
	@awk -F'##' '/^[a-z][a-z -]*:.*##/ { split($$1, t, ":"); printf "  %-34s%s\n", t[1], $$2 }' Makefile
	@sed -n 's/^#   / /p' rules.mk

-include $(all_objs:.o=.d)
