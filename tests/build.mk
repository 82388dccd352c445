# Each suite's makefile fragment names its programs: tests/unit/FOLDER.mk, tests/fuzz/FOLDER.mk, ...
include $(wildcard tests/*/*.mk)
$(eval $(call test_tool,bare_perf,tests/bare_perf.c))
$(eval $(call test_tool,own-mounts,tests/own_mounts.c))
$(eval $(call test_tool,profile_tool,tests/profile_tool.c tests/profile_print.c,\
	libformats.a libutil.a,$(formats_ldlibs)))
$(eval $(call test_tool,bpf_burn,tests/workload/bpf_burn.c))

.PHONY: test-programs fuzz-programs bench-programs
test-programs: all $(tests) $(test_tools) $(shape)
fuzz-programs: $(fuzzers)
bench-programs: all $(benches) $(shape)

# print-VARIABLE: its words, a line each; for the scripts in tests/
print-%:
	@printf '%s\n' $($*)
