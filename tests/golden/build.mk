# What golden tests use: text to sessions, to samples of other machines, to stacks; and readers of
# what the tools write and none of ours reads
$(eval $(call test_tool,mkprofile,tests/golden/mkprofile.c,libdb.a libevents.a libutil.a))
$(eval $(call test_tool,mkhistory,tests/golden/mkhistory.c,libdaemon.a))
$(foreach t,mkforeign mkstacks,$(eval $(call test_tool,$(t),tests/golden/$(t).c,libdb.a)))
$(foreach t,read_gmon read_llvm_sample,$(eval $(call test_tool,$(t),tests/golden/$(t).c)))
$(eval $(call test_tool,mkperf,tests/golden/mkperf.c,libutil.a))
# preloaded into the tools; not of what is installed
hostile_parser := $(O)/tools/hostile_parser.so
test_tools += $(hostile_parser)
all_objs += $(O)/tests/golden/hostile_parser.o
$(O)/tests/golden/hostile_parser.o: cflags += -fPIC -fvisibility=hidden
$(hostile_parser): ldflags += -shared
$(hostile_parser): $(O)/tests/golden/hostile_parser.o
	$(link)
ifneq ($(has_curl),)
$(eval $(call test_tool,mkfleet,tests/golden/mkfleet.c,libpush.a))
endif
