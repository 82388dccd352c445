# What libsampler/ builds: libsampler.so and libsampler.a, for other people's programs. All of it is
# compiled as for a shared library, and in both forms nothing but sampler.h's names is to be seen.
sampler_sources := libsampler/version.c \
	libsampler/modules.c libsampler/module_elf.c libsampler/stack_buffer.c
sampler_sources += $(addprefix libsampler/,thread.c schedule.c sampling_thread.c profiler.c \
	sample.c all_threads.c periodic.c metadata.c metadata_past.c fork.c)
# of other folders, compiled once more
sampler_used := libutil/build_id.c libutil/hash.c
sampler_ldlibs := -ldw -lelf -lz -lpthread

sampler_objs := $(patsubst %.c,$(O)/pic/%.o,$(sampler_sources) $(sampler_used))
all_objs += $(sampler_objs)
shared += $(O)/lib/libsampler.so $(O)/lib/libsampler.a

$(O)/lib/libsampler.so: $(O)/lib/libsampler.so.1
	$(Q)ln -sf libsampler.so.1 $@
# nodelete: its signal handler stays
$(O)/lib/libsampler.so.1: LIBS := $(sampler_ldlibs)
$(O)/lib/libsampler.so.1: LDFLAGS += -shared -Wl,-soname,libsampler.so.1 -Wl,-z,nodelete \
	-Wl,--version-script=libsampler/sampler.map
$(O)/lib/libsampler.so.1: $(sampler_objs) | libsampler/sampler.map
	$(link)
$(O)/lib/libsampler.a: $(sampler_objs)
	@mkdir -p $(@D)
	$(call say,AR)rm -f $@ && ld -r -o $@.o $^ && objcopy --localize-hidden $@.o && \
		$(AR) rcs $@ $@.o && rm -f $@.o

# the same with all its names, for tests
$(eval $(call library,libsamplerparts.a,$(sampler_sources)))
