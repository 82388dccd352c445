# workload.mk - the program of known shape that make quickstart and the tests profile
#
# Its own flags, whatever SAN= or OPT= say: neither instrumented nor optimised away.

shape := $(O)/workload/shape
$(shape): tests/workload/shape.c
	@mkdir -p $(@D)
	$(call say,CC)$(CC) -std=gnu11 -O2 -g $(WARN) -o $@ $<
