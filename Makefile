# Makefile - every target; how things are built stands in rules.mk, what is built in */build.mk

.DEFAULT_GOAL := all
include rules.mk
# each after those whose libraries it needs
include $(addsuffix /build.mk,libutil unwind libdb events formats daemon pp feedback libagent libsampler \
	control operf live fleet packaging/completion tests)

KDIR     ?= /lib/modules/$(shell uname -r)/build
KARGS    ?= W=1

.PHONY: all module check test unit asan tsan golden fuzz-smoke fuzz interop vm system bench lint events-lint quickstart fleet-demo deps clean help

all: $(programs) $(shared) $(plugins) $(data) $(completion)	## build the user-space programs into build/bin

module:				## build oprofile.ko for KDIR's kernel into build/module
	$(Q)control/build-module "$(KDIR)" $(O)/module $(KARGS)

quickstart:			## set everything up, profile this machine for ten seconds, report
	$(Q)control/quickstart

fleet-demo: all $(O)/tools/mkfleet	## two ClickHouse shards, 50 hosts, an hour: what they answer
	$(Q)O=$(O) fleet/demo

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

system:				## install, upgrade, purge the packages on a Debian in QEMU (DEBIAN=13)
	$(Q)O=$(O) tests/system/run

bench: all $(benches)		## print the benchmarks' figures
	$(Q)tests/bench/run

lint:				## W=1 and sparse on the module, clang, shellcheck, headers alone
	$(Q)tests/lint

events-lint: $(O)/tools/events-lint	## check every event table
	$(Q)$< events

clean:				## remove what was built
	$(call say,CLEAN)rm -rf $(O)

help:				## list targets and options
	@awk -F'##' '/^[a-z][a-z -]*:.*##/ { split($$1, t, ":"); printf "  %-34s%s\n", t[1], $$2 }' \
		Makefile packaging/*.mk
	@sed -n 's/^#   / /p' rules.mk packaging/*.mk

include packaging/install.mk packaging/build.mk
.PHONY: objects
objects: $(sort $(all_objs))
-include $(all_objs:.o=.d)
