# What libsampler/ builds: liboprofsampler.so and liboprofsampler.a, for other people's programs. All
# of it is compiled as for a shared library, and in both forms nothing but oprofsampler.h's names is
# to be seen.
sampler_rooms := libsampler $(addprefix libsampler/,copy unwind build session)
sampler_sources := $(filter-out libsampler/example.c libsampler/message.c,$(call sources,$(sampler_rooms)))
sampler_flags := -ldw -lelf -lz -lpthread
sampler_objs := $(patsubst %.c,$(O)/pic/%.o,$(sampler_sources) libsampler/message.c)

# of other folders, compiled once more; message.c is our own
sampler_jit := $(addprefix daemon/jit/,code.c live.c perf_map.c jitdump.c deaths.c layout.c \
	debug.c object.c places.c)
sampler_used := $(call sources,libutil libutil/opener libutil/opener/objects libutil/sandbox \
	libdb/odb libdb/session libdb/stack \
	$(addprefix formats/,profile file folded cpuprofile proto)) $(sampler_jit)
$(O)/lib/libsamplerused.a: $(patsubst %.c,$(O)/pic/%.o,$(sampler_used))
sampler_objs += $(O)/lib/libsamplerused.a
all_objs += $(patsubst %.c,$(O)/pic/%.o,$(sampler_sources) $(sampler_used) libsampler/message.c)
shared += $(O)/lib/liboprofsampler.so $(O)/lib/liboprofsampler.a
versioned += $(O)/lib/liboprofsampler.so.1
flags_liboprofsampler.a := $(sampler_flags)

$(O)/lib/liboprofsampler.so: $(O)/lib/liboprofsampler.so.1
	$(Q)ln -sf liboprofsampler.so.1 $@
# nodelete: its signal handler stays; -z now (rules.mk): what that calls is bound before it runs,
# because binding takes the loader's locks and much stack
$(O)/lib/liboprofsampler.so.1: LIBS := $(sampler_flags)
$(O)/lib/liboprofsampler.so.1: ldflags += -shared -Wl,-soname,liboprofsampler.so.1 \
	-Wl,-z,nodelete -Wl,-z,defs \
	-Wl,--version-script=libsampler/sampler.map
$(O)/lib/liboprofsampler.so.1: $(sampler_objs) | libsampler/sampler.map
	$(link)
$(O)/lib/liboprofsampler.a: $(sampler_objs)
	@mkdir -p $(@D)
	$(call say,AR)rm -f $@ && $(LD) -r -o $@.o $^ && $(OBJCOPY) --localize-hidden $@.o && \
		$(AR) rcs $@ $@.o && rm -f $@.o

# the same with all its names, for tests
$(eval $(call library,libsamplerparts.a,$(sampler_sources) $(sampler_jit),libformats.a libdb.a libutil.a,-ldw -lelf -pthread))

# what opsample has loaded: the one with a constructor
$(eval $(call plugin,libopsample.so,libsampler/opsample/libopsample.c libsampler/opsample/settings.c))
# with a copy of libsampler for itself: the program's own use of that one is none of its business
$(O)/lib/oprofile/libopsample.so: LIBS := $(sampler_flags)
$(O)/lib/oprofile/libopsample.so: ldflags += -Wl,-z,nodelete -Wl,--exclude-libs,ALL
$(O)/lib/oprofile/libopsample.so: $(O)/lib/liboprofsampler.a

# a program that samples itself, as others would be built
sampler_example := $(O)/tools/sampler_example
test_tools += $(sampler_example)
all_objs += $(O)/libsampler/example.o
$(sampler_example): LIBS := -L$(O)/lib -loprofsampler '-Wl,-rpath,$$ORIGIN/../lib' -lpthread
$(sampler_example): $(O)/libsampler/example.o | $(O)/lib/liboprofsampler.so
	$(link)
