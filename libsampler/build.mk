# What libsampler/ builds: libsampler.so and libsampler.a, for other people's programs. All of it is
# compiled as for a shared library, and in both forms nothing but sampler.h's names is to be seen.
sampler_sources := libsampler/version.c \
	libsampler/modules.c libsampler/module_elf.c libsampler/stack_buffer.c
sampler_sources += $(addprefix libsampler/,copy_signal.c copy_stack.c copy_proc.c copy_registers.c \
	stack_words.c walk.c unwind_frame_pointer.c unwind_dwarf.c \
	unwind_modules.c unwind_files.c)
sampler_sources += $(addprefix libsampler/,thread.c schedule.c sampling_thread.c profiler.c \
	sample.c all_threads.c periodic.c metadata.c metadata_past.c own_files.c fork.c)
sampler_sources += $(addprefix libsampler/build_,profile.c images.c comms.c file.c names.c \
	symbols.c session.c session_images.c session_files.c session_stacks.c \
	session_beside.c)
sampler_sources += libsampler/session_folder.c
# of other folders, compiled once more; xalloc.c is our own
sampler_used := libsampler/xalloc.c
sampler_used += $(addprefix formats/,profile.c profile_sums.c format_warn.c shown_frames.c \
	folded_write.c cpuprofile_write.c cpuprofile_words.c maps_text.c maps_text_write.c \
	maps_line.c proto_write.c proto_strings.c proto_columns.c proto_encode.c gzip_write.c)
sampler_used += $(addprefix libdb/,odb_open.c odb_add.c odb_grow.c odb_read.c sample_header.c \
	sample_name.c session.c session_info.c session_counts.c session_parts.c image_ids.c \
	text_file.c abi.c stack_open.c stack_check.c stack_index.c stack_grow.c stack_labels.c \
	stack_add.c stack_ends.c)
sampler_used += $(addprefix libutil/,error.c strbuf.c file.c file_reserved.c file_tree.c path.c \
	hash.c number.c build_id.c build_id_elf.c)
sampler_ldlibs := -ldw -lelf -lz -lpthread

sampler_objs := $(patsubst %.c,$(O)/pic/%.o,$(sampler_sources) $(sampler_used))
all_objs += $(sampler_objs)
shared += $(O)/lib/libsampler.so $(O)/lib/libsampler.a

$(O)/lib/libsampler.so: $(O)/lib/libsampler.so.1
	$(Q)ln -sf libsampler.so.1 $@
# nodelete: its signal handler stays; now: what that calls is bound before it runs, for binding takes
# the loader's locks and much stack
$(O)/lib/libsampler.so.1: LIBS := $(sampler_ldlibs)
$(O)/lib/libsampler.so.1: LDFLAGS += -shared -Wl,-soname,libsampler.so.1 -Wl,-z,nodelete -Wl,-z,now \
	-Wl,--version-script=libsampler/sampler.map
$(O)/lib/libsampler.so.1: $(sampler_objs) | libsampler/sampler.map
	$(link)
$(O)/lib/libsampler.a: $(sampler_objs)
	@mkdir -p $(@D)
	$(call say,AR)rm -f $@ && ld -r -o $@.o $^ && objcopy --localize-hidden $@.o && \
		$(AR) rcs $@ $@.o && rm -f $@.o

# the same with all its names, for tests
$(eval $(call library,libsamplerparts.a,$(sampler_sources)))

# what opsample has loaded: the one with a constructor
$(eval $(call plugin,libopsample.so,libsampler/libopsample.c libsampler/opsample_settings.c))
# with a copy of libsampler for itself: the program's own use of that one is none of its business
$(O)/lib/libopsample.so: LIBS := $(sampler_ldlibs)
$(O)/lib/libopsample.so: LDFLAGS += -Wl,-z,now -Wl,-z,nodelete -Wl,--exclude-libs,ALL
$(O)/lib/libopsample.so: $(O)/lib/libsampler.a

# for sampler.pc, which make install writes
sampler_version = $(shell sed -n 's/.*return "\(.*\)".*/\1/p' libsampler/version.c)

# a program that samples itself, as others would be built
sampler_example := $(O)/tools/sampler_example
test_tools += $(sampler_example)
all_objs += $(O)/libsampler/example.o
$(sampler_example): LIBS := -L$(O)/lib -lsampler '-Wl,-rpath,$$ORIGIN/../lib' -lpthread
$(sampler_example): $(O)/libsampler/example.o | $(O)/lib/libsampler.so
	$(link)
