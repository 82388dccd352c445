# unit tests of libsampler
$(eval $(call unit_test,sampler_schedule,tests/unit/sampler_schedule.c libsampler/schedule.c))
$(eval $(call unit_test,sampler_metadata,tests/unit/sampler_metadata.c libsampler/metadata.c,,-pthread))
threaded += $(O)/tests/sampler_metadata

# those of when samples are taken have a clock, a copier and a walker of their own
sampler_core := libsampler/thread.c \
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
sampler_timed := $(addprefix sampler_,profiler sampling_thread errors targets all_threads cpu_time \
	labels add_unwinder periodic)
$(foreach t,$(sampler_timed) sampler_fork,\
	$(eval $(call unit_test,$(t),tests/unit/$(t).c tests/unit/sampler_fakes.c \
		$(sampler_core),,-pthread)))
# (not sampler_fork: ThreadSanitizer knows no threads in a child)
threaded += $(addprefix $(O)/tests/,$(sampler_timed))

# by what programs link with
$(foreach t,sampler_profiles sampler_profiles_busy sampler_crowd \
		sampler_exits sampler_children sampler_leaks,\
	$(eval $(call unit_test,$(t),tests/unit/$(t).c,libsampler.a,$(sampler_ldlibs))))
# the loader asked by it is the test's
$(eval $(call unit_test,sampler_forks,tests/unit/sampler_forks.c,libsampler.a,$(sampler_ldlibs)))
$(O)/tests/sampler_exits $(O)/tests/sampler_children: | $(O)/lib/libopsample.so
