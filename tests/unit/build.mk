# Unit tests. tests/unit mirrors the tree: the tests of FOLDER/NAME.c are in tests/unit/FOLDER, and
# each file there is a program: build/tests/FOLDER_FILE, slashes being underscores.

# $(call each_is_a_test,FOLDER,LIBRARIES,FILES that need more and are not meant)
unit_names     = $(filter-out $(2),$(notdir $(basename $(wildcard tests/unit/$(1)/*.c))))
each_is_a_test = $(foreach t,$(call unit_names,$(1),$(3)),\
	$(eval $(call unit_test,$(subst /,_,$(1)/$(t)),tests/unit/$(1)/$(t).c,$(2))))
# $(call test_of,FOLDER/NAME,MORE SOURCES,LIBRARIES,-l FLAGS)
test_of        = $(eval $(call unit_test,$(subst /,_,$(1)),tests/unit/$(1).c $(2),$(3),$(4)))
# $(call tests_named,FOLDER,FILES): their programs
tests_named    = $(addprefix $(O)/tests/$(subst /,_,$(1))_,$(2))

$(call each_is_a_test,libutil,libutil.a)
$(call each_is_a_test,libutil/sandbox,libutil.a)
$(call each_is_a_test,libdb/odb,libdb.a)
$(call each_is_a_test,libdb/session,libdb.a)
$(call each_is_a_test,libdb/stack,libdb.a)
$(call each_is_a_test,libdb/history,libdb.a)

# events: libpfm4 is asked where it is; ophelp's parts run for machines that are not at hand
$(call each_is_a_test,events,libevents.a libutil.a,pfm hybrid)
$(call test_of,events/pfm,,libevents.a libutil.a,\
	$(if $(wildcard /usr/include/perfmon/pfmlib.h),-lpfm))
$(call test_of,events/hybrid,$(addprefix control/ophelp/,answer.c text.c markup.c),\
	libevents.a libutil.a)
$(call tests_named,events,$(call unit_names,events)): | $(data)

# the module's files that need no kernel, and seven that get one that is made up
pmu_engine := $(addprefix module/arch/x86/,pmu_plan.c pmu_run.c pmu_overflow.c)
msr_model  := $(addprefix tests/unit/module/,msr_model.c refuse.c)
ibs_model  := $(msr_model) tests/unit/module/ibs_model.c
$(foreach t,claim cpus models perf,$(O)/tests/unit/module/$(t).o): \
	cppflags += -Itests/unit/module/kernel
$(foreach t,buffer_sync dcookie translate,$(O)/tests/unit/module/$(t).o): \
	cppflags += -Itests/unit/module/files
$(call test_of,module/buffer_sync)
$(call test_of,module/dcookie)
$(call test_of,module/translate)
$(call test_of,module/ring,,,-pthread)
$(call test_of,module/words)
$(call test_of,module/claim,tests/unit/module/refuse.c)
$(call test_of,module/cpus,tests/unit/module/refuse.c)
$(call test_of,module/models)
$(call test_of,module/perf,tests/unit/module/refuse.c)
$(call test_of,module/msr_intel,$(msr_model) $(pmu_engine) module/arch/x86/pmu_intel.c)
$(call test_of,module/msr_overflow,$(msr_model) $(pmu_engine) module/arch/x86/pmu_intel.c)
$(call test_of,module/msr_amd,$(msr_model) $(pmu_engine) module/arch/x86/pmu_amd.c)
$(call test_of,module/msr_sets,$(msr_model) $(pmu_engine) module/arch/x86/pmu_intel.c \
	module/arch/x86/pmu_amd.c)
$(call test_of,module/ibs,$(ibs_model) module/arch/x86/ibs.c)
$(call test_of,module/ibs_nmi,$(ibs_model) module/arch/x86/ibs.c)
# includes module/arch/x86/ibs.c
$(call test_of,module/ibs_stop,$(ibs_model))
# its writer and reader are two threads: also run under ThreadSanitizer
threaded += $(call tests_named,module,ring)
$(call test_of,oprofilefs/number,oprofilefs/number.c)
$(call test_of,oprofilefs/table)

# unwind: what is walked has no frame pointers, and is linked in each way there is
$(call each_is_a_test,unwind,libunwind.a,step lookup reference walk calls)
$(call test_of,unwind/step)
$(call test_of,unwind/lookup)
$(call test_of,unwind/reference,,libunwind.a,-ldw -lelf)
threaded += $(call tests_named,unwind,cache)
# (libc's checked memset() is assembly without call frame information)
$(O)/tests/unit/unwind/calls.o: cppflags += -U_FORTIFY_SOURCE
$(O)/tests/unit/unwind/calls.o: cflags += -fomit-frame-pointer -fexceptions -fno-sanitize=all
unwind_lazy := -Wl,-z,lazy
$(call test_of,unwind/walk,tests/unit/unwind/calls.c,libunwind.a,$(unwind_lazy))
ifeq ($(SAN),)
ifneq ($(wildcard $(shell $(CC) -print-file-name=libc.a 2> /dev/null)),)
unwind_walk := tests/unit/unwind/walk.c tests/unit/unwind/calls.c
$(eval $(call unit_test,unwind_walk_static,$(unwind_walk),libunwind.a,-static))
$(eval $(call unit_test,unwind_walk_static_pie,$(unwind_walk),libunwind.a,-static-pie))
endif
endif

# programs whose stacks are known, as programs are built elsewhere: without our options
call_tree        := -fomit-frame-pointer
call_tree-fp     := -fno-omit-frame-pointer -DFRAME_POINTERS
call_tree-static := -fomit-frame-pointer -static
call_tree-static-pie := -fomit-frame-pointer -static-pie
call_trees := $(addprefix $(O)/tools/,call_tree call_tree-fp call_tree-static call_tree-static-pie)
test_tools += $(call_trees)
call_tree_rooms := tests/unit/daemon/collect/perf/call_trees
call_tree_sources := $(call sources,$(call_tree_rooms))
$(call_trees): $(O)/tools/%: $(call_tree_sources) $(wildcard $(call_tree_rooms)/*.h)
	@mkdir -p $(@D)
	$(call say,CC)$(CC) -std=gnu11 -I. -O2 $(WARN) -fasynchronous-unwind-tables -pthread \
		$($*) -o $@ $(call_tree_sources)
# and one that throws, where there is a C++ compiler
ifneq ($(shell command -v $(CXX)),)
test_tools += $(O)/tools/exceptions
$(O)/tests/unit/daemon/collect/perf/call_trees.o $(O)/tests/unit/unwind/throws.o: cppflags += -DHAVE_CXX
$(call tests_named,daemon/collect/perf,call_trees) $(call tests_named,unwind,throws): | $(O)/tools/exceptions
$(O)/tools/exceptions: $(call_tree_rooms)/exceptions.cc
	@mkdir -p $(@D)
	$(call say,CXX)$(CXX) -O2 -fomit-frame-pointer -Wall -Wextra $(WERROR) -o $@ $<
endif

# and 32-bit ones, which need no library; -bare has no call frame information
calltree32      := -fomit-frame-pointer -fasynchronous-unwind-tables
calltree32-fp   := -fno-omit-frame-pointer -fasynchronous-unwind-tables -DFRAME_POINTERS
calltree32-bare := -fno-omit-frame-pointer -fno-asynchronous-unwind-tables -DFRAME_POINTERS
calltrees32 := $(addprefix $(O)/tools/,calltree32 calltree32-fp calltree32-bare)
as_32bit := -m32 -ffreestanding -fno-stack-protector -fno-pie -nostdlib -static
ifneq ($(shell echo 'void _start(void) {}' | $(CC) $(as_32bit) -x c -o /dev/null - 2>&1 || echo no),)
calltrees32 :=
endif
test_tools += $(calltrees32)
$(calltrees32): $(O)/tools/%: tests/vm/workloads/calltree32.c
	@mkdir -p $(@D)
	$(call say,CC)$(CC) -std=gnu11 -O2 $(WARN) $(as_32bit) $($*) -o $@ $<
$(call tests_named,daemon/collect/perf,call_trees) $(call tests_named,unwind,reference): | $(calltrees32)

# the daemon; its recorder is fed by a collector of the tests'
$(call each_is_a_test,daemon/collect/bpf,libdaemon.a)
$(call each_is_a_test,daemon/collect/perf,libdaemon.a)
$(call each_is_a_test,daemon/collect/registered,libdaemon.a)
$(call tests_named,daemon/collect/perf,call_trees call_trees_bpf call_trees_hard): | $(call_trees)
$(foreach t,$(foreach f,daemon daemon/collect/ibs daemon/collect/module daemon/record,\
	$(addprefix $(f)/,$(call unit_names,$(f)))),\
	$(call test_of,$(t),tests/fake_collector.c,libdaemon.a))
threaded += $(call tests_named,daemon/record,comms recorder_session history)
threaded += $(call tests_named,daemon/history,symbols)
$(call each_is_a_test,daemon/history,libdaemon.a)
$(call each_is_a_test,daemon/hostile,libdaemon.a)
$(call each_is_a_test,daemon/jit,libdaemon.a,object)
$(call test_of,daemon/jit/object,,libdaemon.a libpp.a)
$(call test_of,libagent/opagent,libagent/opagent.c libagent/dump_folder.c,libdaemon.a)
threaded += $(call tests_named,libagent,opagent)

$(call each_is_a_test,control,libcontrol.a,doctor)
$(call test_of,control/doctor,,libdoctor.a)
$(call tests_named,control,choice plan plan_tables): | $(data)
# they wait for daemons that do not answer
waiting += $(call tests_named,control,stuck stuck_oprofiled)
# operf itself is run by tests/golden/operf.test
$(call each_is_a_test,operf,liboperf.a)

$(call each_is_a_test,formats,libformats.a,perf_data proto proto_made read_back)
$(foreach t,perf_data proto proto_made read_back,\
	$(call test_of,formats/$(t),tests/profile_print.c,libformats.a))
$(call each_is_a_test,feedback,libfeedback.a)

$(call each_is_a_test,pp/select,libpp.a)
$(call each_is_a_test,pp/binary,libpp.a)
$(call each_is_a_test,live,liblive.a)
ifneq ($(has_curl),)
$(call each_is_a_test,fleet,libstore.a)
$(call each_is_a_test,fleet/push,libpush.a)
$(call each_is_a_test,fleet/store,libstore.a)
$(call each_is_a_test,fleet/ask,libask.a)
endif
$(call each_is_a_test,live/top,libtop.a)
$(call each_is_a_test,pp/report,libpp.a)
$(call each_is_a_test,pp/annotate,libannotate.a)
$(call each_is_a_test,pp/picture,libpicture.a)
$(call each_is_a_test,pp/exchange,libexchange.a)

# libsampler. Those of when samples are taken have a clock, a copier and a walker of their own.
sampler_core  := $(addprefix libsampler/,thread.c schedule.c jobs.c sampling_thread.c profiler.c \
	sample.c still.c all_threads.c periodic.c metadata.c metadata_past.c own_files.c fork.c \
	copy/bell.c)
sampler_timed := profiler sampling_thread errors targets all_threads cpu_time labels add_unwinder \
	periodic
$(foreach t,$(sampler_timed) fork new_threads,\
	$(call test_of,libsampler/$(t),tests/unit/libsampler/fakes.c $(sampler_core),libutil.a,-pthread))
$(call test_of,libsampler/schedule,libsampler/schedule.c)
$(call test_of,libsampler/still,libsampler/still.c)
$(call test_of,libsampler/metadata,libsampler/metadata.c,,-pthread)
# (not fork: ThreadSanitizer knows no threads in a child)
threaded += $(call tests_named,libsampler,metadata modules $(sampler_timed))

# by what programs link with
$(foreach t,profiles profiles_busy crowd exits children leaks forks own_files session_dir,\
	$(call test_of,libsampler/$(t),,liboprofsampler.a libutil.a))
$(call tests_named,libsampler,exits children): | $(O)/lib/oprofile/libopsample.so

$(O)/tests/libsampler_made: ldflags += -Wl,--export-dynamic-symbol=__jit_debug_descriptor
# its parts one by one, and libraries that they see come and go: the same twice, with different
# identities, from different files
$(foreach t,files session modules buffer words copy copy_signal copy_sleepers made,\
	$(call test_of,libsampler/$(t),,libsamplerparts.a))
sampler_tiny := $(addprefix $(O)/tests/sampler_,tiny.so other.so)
$(sampler_tiny): ldflags += -shared -Wl,--build-id
$(sampler_tiny): $(O)/pic/tests/unit/libsampler/tiny.o
	$(link)
$(O)/tests/sampler_other.so: ldflags += -Wl,-soname,other
all_objs += $(O)/pic/tests/unit/libsampler/tiny.o
$(call tests_named,libsampler,modules leaks): | $(sampler_tiny)

# calls compiled in three ways; the last is all that a library without any call frame information
# has in it
sampler_stack := $(O)/tests/unit/libsampler/stack
$(sampler_stack)_%.o: tests/unit/libsampler/stack.c
	@mkdir -p $(@D)
	$(call say,CC)$(CC) $(cppflags) $(cflags) $(stack_flags) -DSTACK_NAME=stack_$* -MMD -MP -c -o $@ $<
$(sampler_stack)_without_frame_pointers.o: stack_flags := -fomit-frame-pointer -DSTACK_READ
$(sampler_stack)_with_frame_pointers.o: stack_flags := -fno-omit-frame-pointer
$(sampler_stack)_without_cfi.o: stack_flags := -fPIC -fno-omit-frame-pointer \
	-fno-asynchronous-unwind-tables -fno-unwind-tables -fno-exceptions -fno-stack-protector \
	-fno-sanitize=all -g0
sampler_stacks := $(addprefix $(sampler_stack),_without_frame_pointers.o _with_frame_pointers.o)
all_objs += $(sampler_stacks) $(sampler_stack)_without_cfi.o
$(O)/tests/sampler_without_cfi.so: $(sampler_stack)_without_cfi.o
	@mkdir -p $(@D)
	$(call say,LINK)$(CC) -shared -nostdlib -Wl,--build-id -o $@ $^
$(foreach t,walk unwind unwind_libraries,\
	$(call test_of,libsampler/$(t),,libsamplerparts.a)\
	$(eval $(call tests_named,libsampler,$(t)): $(sampler_stacks) | $(sampler_tiny) \
		$(O)/tests/sampler_without_cfi.so))
$(O)/tests/unit/libsampler/unwind.o: cppflags += -DIS_CHECKED=$(if $(SAN),1,0)

# the tests' own
$(call test_of,tests/fuzz_oracle,tests/fuzz/oracle.c)
