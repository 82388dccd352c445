# libsampler's parts one by one, and libraries that they see come and go
sampler_parts_libs := libsamplerparts.a libbuildid.a libutil.a
$(foreach t,modules buffer words copy copy_signal copy_sleepers,\
	$(eval $(call unit_test,sampler_$(t),tests/unit/sampler_$(t).c,$(sampler_parts_libs),\
		-ldw -lelf -pthread)))

# the same twice: with different identities, from different files
sampler_tiny := $(O)/tests/sampler_tiny.so $(O)/tests/sampler_other.so
$(sampler_tiny): LDFLAGS += -shared -Wl,--build-id
$(sampler_tiny): $(O)/pic/tests/unit/sampler_tiny.o
	$(link)
$(O)/tests/sampler_other.so: LDFLAGS += -Wl,-soname,other
all_objs += $(O)/pic/tests/unit/sampler_tiny.o
threaded += $(O)/tests/sampler_modules
$(O)/tests/sampler_modules $(O)/tests/sampler_leaks: | $(sampler_tiny)

# chains of calls, compiled in three ways; the last is all that a library without any call frame
# information has in it
$(O)/tests/unit/sampler_chain_%.o: tests/unit/sampler_chain.c
	@mkdir -p $(@D)
	$(call say,CC)$(CC) $(CPPFLAGS) $(CFLAGS) $(chain_flags) -DCHAIN_NAME=chain_$* -MMD -MP -c -o $@ $<
$(O)/tests/unit/sampler_chain_without_frame_pointers.o: chain_flags := -fomit-frame-pointer \
	-DCHAIN_READ
$(O)/tests/unit/sampler_chain_with_frame_pointers.o: chain_flags := -fno-omit-frame-pointer
$(O)/tests/unit/sampler_chain_without_cfi.o: chain_flags := -fPIC -fno-omit-frame-pointer \
	-fno-asynchronous-unwind-tables -fno-unwind-tables -fno-exceptions -fno-stack-protector \
	-fno-sanitize=all -g0
sampler_chains := $(patsubst %,$(O)/tests/unit/sampler_chain_%.o,without_frame_pointers \
	with_frame_pointers)
all_objs += $(sampler_chains) $(O)/tests/unit/sampler_chain_without_cfi.o
$(O)/tests/sampler_without_cfi.so: $(O)/tests/unit/sampler_chain_without_cfi.o
	@mkdir -p $(@D)
	$(call say,LINK)$(CC) -shared -nostdlib -Wl,--build-id -o $@ $^
$(foreach t,sampler_walk sampler_unwind sampler_unwind_libraries,\
	$(eval $(call unit_test,$(t),tests/unit/$(t).c,$(sampler_parts_libs),-ldw -lelf -pthread))\
	$(eval $(O)/tests/$(t): $(sampler_chains) | $(sampler_tiny) $(O)/tests/sampler_without_cfi.so))
$(O)/tests/unit/sampler_unwind.o: CPPFLAGS += -DIS_CHECKED=$(if $(SAN),1,0)
