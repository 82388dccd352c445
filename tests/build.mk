# Each suite's makefile fragment names its programs: tests/unit/FOLDER.mk, tests/fuzz/FOLDER.mk, ...
include $(wildcard tests/*/*.mk)

.PHONY: test-programs fuzz-programs
test-programs: all $(tests)
fuzz-programs: $(fuzzers)
