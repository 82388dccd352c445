# Each suite's makefile fragment names its programs: tests/unit/build.mk, tests/fuzz/build.mk, ...
include $(wildcard tests/*/build.mk)
$(eval $(call test_tool,events-lint,tests/events_lint.c,libevents.a))
$(eval $(call test_tool,bare_perf,tests/bare_perf.c))
$(eval $(call test_tool,without-call,tests/without_call.c))
$(eval $(call test_tool,own-mounts,tests/own_mounts.c))
$(eval $(call test_tool,profile_tool,tests/profile_tool.c tests/profile_print.c,\
	libformats.a))
$(O)/tools/clock-counters.so: ldflags += -shared
$(O)/tools/clock-counters.so: $(O)/pic/tests/clock_counters.o
	$(link)
all_objs += $(O)/pic/tests/clock_counters.o
test_tools += $(O)/tools/clock-counters.so

.PHONY: test-programs fuzz-programs bench-programs
test-programs: all $(tests) $(test_tools) $(shape)
fuzz-programs: $(fuzzers)
bench-programs: all $(benches) $(shape)

# print-VARIABLE: its words, a line each; for the scripts in tests/
print-%:
	@printf '%s\n' $(strip $($*))
