# rules.mk - how anything is built; what is built stands in each folder's build.mk
#
#   O=DIR      build there (default: build)
#   V=1        show the commands
#   SAN=LIST   sanitizers for everything, e.g. SAN=address,undefined (use its own O=)
#   WERROR=-Werror  stop at warnings, as tests/run and tests/lint do

O      ?= build
# one spelling, however it is given: targets are found again in .d files by their names
override O := $(patsubst $(CURDIR)/%,%,$(abspath $(O)))
WERROR ?=
Q      := $(if $(V),,@)
silent := $(if $(V),V,$(findstring s,$(firstword -$(MAKEFLAGS))))
say     = $(if $(silent),$(Q),@printf '  %-7s %s\n' $(1) $(@:$(O)/%=%);)

CC       ?= cc
OPT      ?= -O2 -g
WARN     := -Wall -Wextra $(WERROR) -Wmissing-prototypes -Wstrict-prototypes \
	    -Wold-style-definition -Wpointer-arith -Wwrite-strings -Wvla -Wshadow
CFLAGS   := -std=gnu11 $(OPT) $(WARN) -fno-common $(EXTRA_CFLAGS)
VERSION  := 0.1.0
CPPFLAGS := -D_GNU_SOURCE -D_FILE_OFFSET_BITS=64 -DOP_VERSION='"$(VERSION)"' $(EXTRA_CPPFLAGS)
LDFLAGS  := $(EXTRA_LDFLAGS)
ifneq ($(SAN),)
CFLAGS   += -fsanitize=$(SAN) -fno-sanitize-recover=all -fno-omit-frame-pointer
LDFLAGS  += -fsanitize=$(SAN)
endif

# Which folders' headers a folder may include: this is the architecture (doc/internals.md).
# oprofilefs and module come last: their number.h is the kernel side's, not libutil's.
inc_libutil := libutil
inc_libdb   := libdb libutil
inc_events  := events libutil
inc_daemon  := daemon libdb events libutil oprofilefs libagent
inc_libagent := libagent
inc_control := control libdb events libutil oprofilefs
inc_operf   := operf libsampler daemon control libdb events libutil oprofilefs
inc_formats := formats libutil
inc_libsampler := libsampler formats libdb libutil
inc_pp      := pp formats libdb events libutil
inc_tests   := tests libsampler libagent daemon control operf pp formats libdb events libutil oprofilefs module
inc_for      = $(addprefix -I,$(inc_$(firstword $(subst /, ,$(1)))))

# How a program is made of its objects and libraries. Said at each program, for a pattern
# such as build/tests/% would be taken for build/tests/unit/x.o too.
define link
@mkdir -p $(@D)
$(call say,LINK)$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(LIBS) $(if $(filter %/libdaemon.a,$^),-lz)
endef

all_objs :=
programs :=
shared   :=
tests    :=
threaded :=
waiting  :=
test_tools :=
benches  :=
fuzzers  :=

# $(call library,NAME.a,SOURCES). Made anew when its build.mk changes: a source that is new in there
# may be older than the library, and its object is then not missed (.SECONDARY).
define library
lib_$(1) := $(O)/lib/$(1)
all_objs += $(patsubst %.c,$(O)/%.o,$(2))
$(O)/lib/$(1): $(patsubst %.c,$(O)/%.o,$(2)) $(lastword $(MAKEFILE_LIST))
endef

# $(call shared_library,NAME.so,VERSION,SOURCES,MAP of symbol versions,-l FLAGS): what other
# people's programs link with; $(O)/lib/NAME.so is a link to $(O)/lib/NAME.so.VERSION
define shared_library
shared += $(O)/lib/$(1)
all_objs += $(patsubst %.c,$(O)/%.o,$(3))
$(patsubst %.c,$(O)/%.o,$(3)): CFLAGS += -fPIC -fvisibility=hidden
$(O)/lib/$(1): $(O)/lib/$(1).$(2)
	$$(Q)ln -sf $(1).$(2) $$@
$(O)/lib/$(1).$(2): LIBS := $(5)
$(O)/lib/$(1).$(2): LDFLAGS += -shared -Wl,-soname,$(1).$(2) -Wl,--version-script=$(strip $(4))
$(O)/lib/$(1).$(2): $(patsubst %.c,$(O)/%.o,$(3)) | $(strip $(4))
	$$(link)
endef

# $(call plugin,NAME.so,SOURCES): what other people's programs load; its LIBS are said beside it
define plugin
shared += $(O)/lib/$(1)
all_objs += $(patsubst %.c,$(O)/%.o,$(2))
$(patsubst %.c,$(O)/%.o,$(2)): CFLAGS += -fPIC -fvisibility=hidden
$(O)/lib/$(1): LDFLAGS += -shared
$(O)/lib/$(1): $(patsubst %.c,$(O)/%.o,$(2))
	$$(link)
endef

# $(call program,NAME,SOURCES,LIBRARIES of ours in link order,-l FLAGS)
define program
programs += $(O)/bin/$(1)
all_objs += $(patsubst %.c,$(O)/%.o,$(2))
$(O)/bin/$(1): LIBS := $(4)
$(O)/bin/$(1): $(patsubst %.c,$(O)/%.o,$(2)) $(addprefix $(O)/lib/,$(3))
	$$(link)
endef

# $(call unit_test,NAME,SOURCES,LIBRARIES,-l FLAGS): a TAP program, $(O)/tests/NAME
define unit_test
tests += $(O)/tests/$(1)
all_objs += $(patsubst %.c,$(O)/%.o,$(2))
$(O)/tests/$(1): LIBS := $(4)
$(O)/tests/$(1): $(patsubst %.c,$(O)/%.o,$(2)) $(addprefix $(O)/lib/,$(3))
	$$(link)
endef

# $(call test_tool,NAME,SOURCES,LIBRARIES,-l FLAGS): a program that tests use, $(O)/tools/NAME
define test_tool
test_tools += $(O)/tools/$(1)
all_objs += $(patsubst %.c,$(O)/%.o,$(2))
$(O)/tools/$(1): LIBS := $(4)
$(O)/tools/$(1): $(patsubst %.c,$(O)/%.o,$(2)) $(addprefix $(O)/lib/,$(3))
	$$(link)
endef

# $(call bench_program,NAME,SOURCES,LIBRARIES,-l FLAGS): $(O)/bench/NAME
define bench_program
benches += $(O)/bench/$(1)
all_objs += $(patsubst %.c,$(O)/%.o,$(2))
$(O)/bench/$(1): LIBS := $(4)
$(O)/bench/$(1): $(patsubst %.c,$(O)/%.o,$(2)) $(addprefix $(O)/lib/,$(3))
	$$(link)
endef

# $(call fuzz_target,NAME,SOURCE,LIBRARIES,-l FLAGS): $(O)/fuzz/NAME, with the plain
# driver of tests/fuzz/driver.c; FUZZ=libfuzzer links clang's instead.
fuzz_driver = $(if $(filter libfuzzer,$(FUZZ)),,$(O)/tests/fuzz/driver.o)
define fuzz_target
fuzzers += $(O)/fuzz/$(1)
all_objs += $(patsubst %.c,$(O)/%.o,$(2)) $(fuzz_driver)
$(O)/fuzz/$(1): LIBS := $(4)
$(O)/fuzz/$(1): $(patsubst %.c,$(O)/%.o,$(2)) $(fuzz_driver) $(addprefix $(O)/lib/,$(3))
	$$(link) $$(if $$(filter libfuzzer,$$(FUZZ)),-fsanitize=fuzzer)
endef

$(O)/%.o: %.c
	@mkdir -p $(@D)
	$(call say,CC)$(CC) $(CPPFLAGS) $(call inc_for,$*) $(CFLAGS) -MMD -MP -c -o $@ $<

# for shared libraries made of several folders' files: only what a header exports is to be seen
$(O)/pic/%.o: %.c
	@mkdir -p $(@D)
	$(call say,CC)$(CC) $(CPPFLAGS) $(call inc_for,$*) $(CFLAGS) -fPIC -fvisibility=hidden -MMD -MP -c -o $@ $<

# written by the compiler; without this make would take a missing one for a program
$(O)/%.d: ;

$(O)/lib/%.a:
	@mkdir -p $(@D)
	$(call say,AR)rm -f $@ && $(AR) rcs $@ $(filter %.o,$^)

.DELETE_ON_ERROR:
.SECONDARY:
