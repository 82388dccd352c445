# libsampler's parts one by one, and libraries that they see come and go
sampler_parts_libs := libsamplerparts.a libbuildid.a libutil.a
$(foreach t,modules buffer words copy copy_sleepers,\
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
$(O)/tests/sampler_modules: | $(sampler_tiny)
