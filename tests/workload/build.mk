# Programs that are profiled. The one of known shape, which make quickstart profiles too, has its
# own flags, whatever SAN= or OPT= are: neither instrumented nor optimized away.
shape := $(O)/workload/shape
$(shape): tests/workload/shape.c
	@mkdir -p $(@D)
	$(call say,CC)$(CC) -std=gnu11 -O2 -g $(WARN) -o $@ $<

# one that runs code of its own making, for tests of reports about it
$(eval $(call test_tool,made-code,tests/workload/made_code.c))
$(O)/tools/made-code: LIBS := -L$(O)/lib -lopagent '-Wl,-rpath,$$ORIGIN/../lib'
$(O)/tools/made-code: | $(O)/lib/libopagent.so
# ocount that counts the kernel's own events, for tests without counters
$(eval $(call test_tool,ocount-software,operf/ocount/ocount.c tests/workload/ocount_software.c,\
	liboperf.a,-Xlinker --wrap=plan_make -Xlinker --wrap=perf_counters_make))
$(eval $(call test_tool,bpf_burn,tests/workload/bpf_burn.c))
