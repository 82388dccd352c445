# unit tests of the perf collector, daemon/perf_*
$(foreach t,collector counters events lowered short_lived maps order process records ring setup \
	words \
	rings fuse targets callers chain chains chains_hard copy_size,\
	$(eval $(call unit_test,perf_$(t),tests/unit/perf_$(t).c,\
		libdaemon.a libdb.a libevents.a libbuildid.a libutil.a)))

# programs whose chains are known, as programs are built elsewhere: without our options
call_tree        := -fomit-frame-pointer
call_tree-fp     := -fno-omit-frame-pointer -DFRAME_POINTERS
call_tree-static := -fomit-frame-pointer -static
call_tree-static-pie := -fomit-frame-pointer -static-pie
call_trees := $(addprefix $(O)/tools/,call_tree call_tree-fp call_tree-static call_tree-static-pie)
test_tools += $(call_trees)
$(O)/tests/perf_chains $(O)/tests/perf_chains_hard: | $(call_trees)
call_tree_sources := $(addprefix tests/unit/chains/,call_tree.c call_tree_asm.c \
	call_tree_hostile.c call_tree_storm.c)
$(call_trees): $(O)/tools/%: $(call_tree_sources) tests/unit/chains/call_tree.h
	@mkdir -p $(@D)
	$(call say,CC)$(CC) -std=gnu11 -I. -O2 $(WARN) -fasynchronous-unwind-tables -pthread \
		$($*) -o $@ $(call_tree_sources)

# and one that throws, where there is a C++ compiler
ifneq ($(shell command -v $(CXX)),)
test_tools += $(O)/tools/exceptions
$(O)/tests/unit/perf_chains.o: CPPFLAGS += -DHAVE_CXX
$(O)/tests/perf_chains: | $(O)/tools/exceptions
$(O)/tools/exceptions: tests/unit/chains/exceptions.cc
	@mkdir -p $(@D)
	$(call say,CXX)$(CXX) -O2 -fomit-frame-pointer -Wall -Wextra -Werror -o $@ $<
endif
