# rules.mk - how anything is built; what is built stands in each folder's build.mk
#
#   O=DIR      build there (default: build)
#   V=1        show the commands
#   SAN=LIST   sanitizers for everything, e.g. SAN=address,undefined (use its own O=)
#   CFLAGS= CPPFLAGS= LDFLAGS=  added to ours, also from the environment
#   WERROR=-Werror  stop at warnings, as tests/run and tests/lint do
#   prefix=DIR  where to install (default: /usr/local), as libdir= mandir= and GNU's other names
#   BFD=static  link libbfd and libopcodes statically, as packages do
#   DESTDIR=DIR is put before them when installing

O      ?= build
# one spelling, however it is given: targets are found again in .d files by their names
override O := $(patsubst $(CURDIR)/%,%,$(abspath $(O)))
WERROR ?=
Q      := $(if $(V),,@)
silent := $(if $(V),V,$(findstring s,$(firstword -$(MAKEFLAGS))))
say     = $(if $(silent),$(Q),@printf '  %-7s %s\n' $(1) $(@:$(O)/%=%);)

CC       ?= cc
OBJCOPY  ?= objcopy
OPT      ?= $(if $(SAN),-O1 -g1,-O2 -g)
WARN     := -Wall -Wextra $(WERROR) -Wmissing-prototypes -Wstrict-prototypes \
	    -Wold-style-definition -Wpointer-arith -Wwrite-strings -Wvla -Wshadow
VERSION  := 0.2.0

# $(call has_header,FILE): not empty if the compiler finds it. (Without a '#', which make 4.3 and
# its predecessors escape differently.)
has_header = $(shell $(CC) $(CPPFLAGS) -E -include $(1) -x c /dev/null > /dev/null 2>&1 && echo y)

# what cannot be built here is said where something is built, by that make itself
builds_nothing := $(filter clean help deps quickstart test dist distcheck deb rpm image uninstall \
	module %-module %-dkms print-%,$(MAKECMDGOALS))

# Where things go, by GNU's names
PREFIX        ?= /usr/local
prefix        ?= $(PREFIX)
exec_prefix   ?= $(prefix)
bindir        ?= $(exec_prefix)/bin
sbindir       ?= $(exec_prefix)/sbin
libdir        ?= $(exec_prefix)/lib
includedir    ?= $(prefix)/include
datarootdir   ?= $(prefix)/share
datadir       ?= $(datarootdir)
mandir        ?= $(datarootdir)/man
docdir        ?= $(datarootdir)/doc/oprofile-ng
pkgconfigdir  ?= $(libdir)/pkgconfig
zshdir        ?= $(datadir)/zsh/site-functions
unitdir       ?= $(prefix)/lib/systemd/system
udevdir       ?= $(prefix)/lib/udev
# a machine has one set-up and one /run, whatever the programs' prefix is
sysconfdir    ?= /etc
localstatedir ?= /var
runstatedir   ?= /run

# ours alone: uninstall removes these folders
pkgdatadir    := $(datadir)/oprofile
pkglibdir     := $(libdir)/oprofile
own_dirs      := $(pkgdatadir) $(pkglibdir) $(docdir)

# What makes an overrun or a forgotten value harmless, as far as this compiler has it: gcc 10 does
# not initialize variables and fortifies at level 2, clang 14 wants to be asked twice, and without
# optimization, or with sanitizers, nothing is fortified. tests/lint looks at the programs.
clang_init := -enable-trivial-auto-var-init-zero-knowing-it-will-be-removed-from-clang
hardening  := $(shell \
	accepts() { $(CC) $(OPT) -Werror "$$@" -x c -include stdio.h -c -o /dev/null /dev/null; }; \
	exec 2> /dev/null; \
	for flag in -fstack-protector-strong -fcf-protection -mbranch-protection=standard; do \
		accepts $$flag && echo $$flag; done; \
	init=-ftrivial-auto-var-init=zero; \
	if accepts $$init; then echo $$init; \
	elif accepts $$init $(clang_init); then echo $$init $(clang_init); fi; \
	for level in $(if $(SAN),,3 2); do \
		accepts -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=$$level && \
			echo -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=$$level && break; done)

# CFLAGS, CPPFLAGS and LDFLAGS are the user's: they are added, and may override
cflags   := -std=gnu11 $(OPT) $(WARN) -fno-common -fPIE $(filter-out -U% -D%,$(hardening)) $(CFLAGS)
# one -I: an include names its file from the root, and tests/lint checks who may include whom
cppflags := -I. -D_GNU_SOURCE -D_FILE_OFFSET_BITS=64 -D_TIME_BITS=64 -DOP_VERSION='"$(VERSION)"' \
	    -DOP_LOCALSTATEDIR='"$(localstatedir)"' -DOP_RUNSTATEDIR='"$(runstatedir)"' \
	    -DOP_SYSCONFDIR='"$(sysconfdir)"' \
	    $(filter -U% -D%,$(hardening)) $(CPPFLAGS)
ldflags  := -Wl,--as-needed -Wl,-z,relro -Wl,-z,now $(LDFLAGS)
ifneq ($(SAN),)
cflags   += -fsanitize=$(SAN) -fno-sanitize-recover=all -fno-omit-frame-pointer
ldflags  += -fsanitize=$(SAN)
endif

# How a program is made of its objects and libraries. Written at each program, because a pattern
# such as build/tests/% would match build/tests/unit/x.o too.
pie = $(if $(filter -shared -static%,$(ldflags) $(LIBS)),,-pie)
define link
@mkdir -p $(@D)
$(call say,LINK)$(CC) $(cflags) $(pie) $(ldflags) -o $@ $^ $(LIBS)
endef

all_objs :=
programs :=
shared   :=
versioned :=
plugins  :=
tests    :=
threaded :=
waiting  :=
test_tools :=
benches  :=
fuzzers  :=

# $(call sources,FOLDERS): the .c files in these folders themselves
sources = $(sort $(wildcard $(addsuffix /*.c,$(1))))
objects = $(patsubst %.c,$(O)/%.o,$(1))

# $(call last_of_each,WORDS): each word once, in the place where it stands last. Link order: what
# is needed stands behind what needs it.
last_of_each = $(if $(1),$(call last_of_each,$(filter-out $(lastword $(1)),$(1))) $(lastword $(1)))
archives     = $(call last_of_each,$(1) $(foreach l,$(1),$(needs_$(l))))
link_flags   = $(call last_of_each,$(foreach l,$(call archives,$(1)),$(flags_$(l))))

define newline


endef

# $(call keep_list,FILE,WORDS): the file holds them, and is as old as they are
keep_list = $(if $(call same,$(2),$(strip $(file <$(1)))),,\
	$(shell mkdir -p $(dir $(1)))$(file >$(1),$(2)))
same      = $(if $(subst x$(1),,x$(2))$(subst x$(2),,x$(1)),,y)

# $(call library,NAME.a,SOURCES,LIBRARIES of ours that it needs,-l FLAGS that it needs). It is made
# anew when the list of its sources changes, which a file beside it holds: an object that is new in
# it may be older than the library.
define library
needs_$(1) := $(call archives,$(3))
flags_$(1) := $(4)
all_objs += $(call objects,$(2))
$(call keep_list,$(O)/lib/$(1).list,$(strip $(2)))
$(O)/lib/$(1): $(O)/lib/$(1).list $(call objects,$(2))
endef

# $(call linked,LIST,FILE,SOURCES,LIBRARIES of ours that it uses itself,-l FLAGS of its own): a
# program, which goes into the list
define linked
$(1) += $(2)
all_objs += $(call objects,$(3))
$(2): LIBS := $(5) $(call link_flags,$(4))
$(2): $(call objects,$(3)) $(addprefix $(O)/lib/,$(call archives,$(4)))
	$$(link)
endef

# $(call KIND,NAME,SOURCES,LIBRARIES,-l FLAGS), as above:
# for users; a TAP program; what tests use; a benchmark; one that reads bytes from anywhere, with
# the plain driver of tests/fuzz/driver.c or, with FUZZ=libfuzzer, clang's
program       = $(call linked,programs,$(O)/bin/$(1),$(2),$(3),$(4))
unit_test     = $(call linked,tests,$(O)/tests/$(1),$(2),$(3),$(4))
test_tool     = $(call linked,test_tools,$(O)/tools/$(1),$(2),$(3),$(4))
bench_program = $(call linked,benches,$(O)/bench/$(1),$(2),$(3),$(4))
fuzz_target   = $(call linked,fuzzers,$(O)/fuzz/$(1),$(2) $(fuzz_driver),$(3),$(4) $(fuzz_flags))
fuzz_driver  := tests/fuzz/oracle.c $(if $(filter libfuzzer,$(FUZZ)),,tests/fuzz/driver.c)
fuzz_flags   := -Wl,--wrap=LLVMFuzzerTestOneInput $(if $(filter libfuzzer,$(FUZZ)),-fsanitize=fuzzer)
ifeq ($(FUZZ),libfuzzer)
# NULL + 0, which C2y defines, is no finding
cflags       += -fsanitize=fuzzer-no-link -fno-sanitize=pointer-overflow
endif

# $(call shared_library,NAME.so,VERSION,SOURCES,MAP of symbol versions,-l FLAGS): what other
# people's programs link with; $(O)/lib/NAME.so is a link to $(O)/lib/NAME.so.VERSION
define shared_library
shared += $(O)/lib/$(1)
versioned += $(O)/lib/$(1).$(2)
all_objs += $(call objects,$(3))
$(call objects,$(3)): cflags += -fPIC -fvisibility=hidden
$(O)/lib/$(1): $(O)/lib/$(1).$(2)
	$$(Q)ln -sf $(1).$(2) $$@
$(O)/lib/$(1).$(2): LIBS := $(5)
$(O)/lib/$(1).$(2): ldflags += -shared -Wl,-soname,$(1).$(2) -Wl,--version-script=$(strip $(4))
$(O)/lib/$(1).$(2): $(call objects,$(3)) | $(strip $(4))
	$$(link)
endef

# $(call plugin,NAME.so,SOURCES): what other people's programs load, from a folder of our own; its
# LIBS stand beside it
define plugin
plugins += $(O)/lib/oprofile/$(1)
all_objs += $(call objects,$(2))
$(call objects,$(2)): cflags += -fPIC -fvisibility=hidden
$(O)/lib/oprofile/$(1): ldflags += -shared
$(O)/lib/oprofile/$(1): $(call objects,$(2))
	$$(link)
endef

# Objects are made again when a flag changes, also one of the environment; warnings change none.
$(call keep_list,$(O)/flags,$(strip $(CC) $(filter-out $(WARN),$(cflags)) $(cppflags) $(ldflags) \
	$(BFD)))
# those that know one of these folders have it in $(O)/dirs
$(call keep_list,$(O)/dirs,$(prefix) $(sbindir) $(libdir) $(includedir) $(datadir))

# $(call uses_dir,OBJECTS,MACRO,DIR): objects that know a folder; made again when it changes
define uses_dir
$(addprefix $(O)/,$(1)): cppflags += -D$(2)='"$(3)"'
$(addprefix $(O)/,$(1)): $(O)/dirs
endef
$(O)/flags $(O)/dirs: ;

$(O)/%.o: %.c $(O)/flags
	@mkdir -p $(@D)
	$(call say,CC)$(CC) $(cppflags) $(cflags) -MMD -MP -c -o $@ $<

# for shared libraries made of several folders' files: only what a header exports is to be seen
$(O)/pic/%.o: %.c $(O)/flags
	@mkdir -p $(@D)
	$(call say,CC)$(CC) $(cppflags) $(cflags) -fPIC -fvisibility=hidden -MMD -MP -c -o $@ $<

$(O)/lib/%.list: ;

# written by the compiler; without this make would take a missing one for a program
$(O)/%.d: ;

$(O)/lib/%.a:
	@mkdir -p $(@D)
	$(call say,AR)rm -f $@ && $(AR) rcs $@ $(filter %.o,$^)

.DELETE_ON_ERROR:
.SECONDARY:
