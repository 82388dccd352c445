# what daemon/ builds

# The BPF program, where clang, bpftool and libbpf are there; elsewhere the rest goes without it.
bpf_clang := $(or $(shell command -v clang),$(if $(filter clang%,$(CC)),$(CC)))
bpftool   := $(shell PATH="$$PATH:/usr/sbin:/sbin" command -v bpftool)
bpf_arch  := $(filter x86_64-%,$(shell $(CC) -dumpmachine 2> /dev/null))
has_bpf   := $(if $(and $(bpf_clang),$(bpftool),$(bpf_arch)),$(call has_header,bpf/libbpf.h))
ifneq ($(has_bpf),)
# (where Debian has asm/types.h; clang -target bpf does not look there)
bpf_include := -I$(O) $(addprefix -I,$(wildcard /usr/include/x86_64-linux-gnu))
$(O)/daemon/collect/bpf/program/walk.o: daemon/collect/bpf/program/walk.c
	@mkdir -p $(@D)
	$(call say,BPF)$(bpf_clang) -O2 -g -ffreestanding -target bpf -mcpu=v3 -D__x86_64__ \
		-ffile-prefix-map=$(CURDIR)/= \
		-Wall -Wextra -Wno-unused-parameter $(WERROR) -I. $(bpf_include) -MMD -MP -c -o $@ $<
# (linked by itself, because that drops debug information, which names our folder)
$(O)/daemon/collect/bpf/walk.skel.h: $(O)/daemon/collect/bpf/program/walk.o
	$(call say,SKEL)$(bpftool) gen object $@.o $< && \
		$(bpftool) gen skeleton $@.o name walk > $@.new && mv $@.new $@
$(O)/daemon/collect/bpf/walker.o: $(O)/daemon/collect/bpf/walk.skel.h
$(O)/daemon/collect/bpf/walker.o: cppflags += -I$(O)
-include $(O)/daemon/collect/bpf/program/walk.d
bpf_source := daemon/collect/bpf/walker.c
bpf_flags  := -lbpf -lelf -lz
else
$(if $(builds_nothing),,$(info the BPF collector is left out: \
	it needs x86-64, clang, bpftool and libbpf-dev))
bpf_source := daemon/collect/bpf/absent.c
bpf_flags  :=
endif

daemon_mains := daemon/main.c daemon/set_up.c daemon/opjitconv.c
daemon_rooms := daemon $(addprefix daemon/,collect collect/ibs collect/module collect/perf \
	collect/registered history jit record)
$(eval $(call library,libdaemon.a,$(filter-out $(daemon_mains),$(call sources,$(daemon_rooms))) \
	$(bpf_source),libunwind.a libdb.a libevents.a libutil.a,$(bpf_flags) -lpopt -pthread))
$(eval $(call program,oprofiled,daemon/main.c daemon/set_up.c,libdaemon.a))
$(eval $(call program,opjitconv,daemon/opjitconv.c,libdaemon.a))
