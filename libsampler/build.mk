# What libsampler/ builds: libsampler.so and libsampler.a, for other people's programs. All of it is
# compiled as for a shared library, and in both forms nothing but sampler.h's names is to be seen.
sampler_sources := libsampler/version.c \
	libsampler/unwind/module_list.c libsampler/unwind/module_elf.c libsampler/copy/buffer.c
sampler_sources += libsampler/copy/signal.c \
	libsampler/copy/stack.c \
	libsampler/copy/proc.c \
	libsampler/copy/registers.c \
	libsampler/copy/words.c \
	libsampler/unwind/walk.c \
	libsampler/unwind/frame_pointer.c \
	libsampler/unwind/dwarf.c \
	libsampler/unwind/modules.c \
	libsampler/unwind/files.c
sampler_sources += libsampler/thread.c \
	libsampler/schedule.c \
	libsampler/sampling_thread.c \
	libsampler/profiler.c \
	libsampler/sample.c \
	libsampler/all_threads.c \
	libsampler/periodic.c \
	libsampler/metadata.c \
	libsampler/metadata_past.c \
	libsampler/own_files.c \
	libsampler/fork.c
sampler_sources += libsampler/build/profile.c \
	libsampler/build/images.c \
	libsampler/build/comms.c \
	libsampler/build/file.c \
	libsampler/build/names.c \
	libsampler/build/symbols.c \
	libsampler/session/session.c \
	libsampler/session/images.c \
	libsampler/session/files.c \
	libsampler/session/stacks.c \
	libsampler/session/beside.c
sampler_sources += libsampler/session/folder.c
# of other folders, compiled once more; xalloc.c is our own
sampler_used := libsampler/xalloc.c
sampler_used += formats/profile/profile.c \
	formats/profile/sums.c \
	formats/profile/warn.c \
	formats/profile/shown_frames.c \
	formats/folded/write.c \
	formats/cpuprofile/write.c \
	formats/cpuprofile/words.c \
	formats/cpuprofile/maps_text.c \
	formats/cpuprofile/maps_text_write.c \
	formats/cpuprofile/maps_line.c \
	formats/proto/write.c \
	formats/proto/strings.c \
	formats/proto/columns.c \
	formats/proto/encode.c \
	formats/file/gzip_write.c
sampler_used += libdb/odb/open.c \
	libdb/odb/add.c \
	libdb/odb/grow.c \
	libdb/odb/read.c \
	libdb/session/header.c \
	libdb/session/name.c \
	libdb/session/session.c \
	libdb/session/info.c \
	libdb/session/counts.c \
	libdb/session/parts.c \
	libdb/session/image_ids.c \
	libdb/session/text_file.c \
	libdb/session/abi.c \
	libdb/stack/open.c \
	libdb/stack/check.c \
	libdb/stack/index.c \
	libdb/stack/grow.c \
	libdb/stack/labels.c \
	libdb/stack/add.c \
	libdb/stack/ends.c
sampler_used += libutil/error.c \
	libutil/strbuf.c \
	libutil/file.c \
	libutil/file_reserved.c \
	libutil/file_tree.c \
	libutil/path.c \
	libutil/hash.c \
	libutil/number.c \
	libutil/build_id.c \
	libutil/build_id_elf.c
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
$(eval $(call plugin,libopsample.so,libsampler/opsample/libopsample.c libsampler/opsample/settings.c))
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
