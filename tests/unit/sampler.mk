# unit tests of libsampler
$(eval $(call unit_test,sampler_schedule,tests/unit/sampler_schedule.c libsampler/schedule.c))
$(eval $(call unit_test,sampler_metadata,tests/unit/sampler_metadata.c libsampler/metadata.c,,-pthread))
threaded += $(O)/tests/sampler_metadata

# those of when samples are taken have a clock, a copier and a walker of their own
sampler_core := $(addprefix libsampler/,thread.c schedule.c sampling_thread.c profiler.c sample.c \
	all_threads.c periodic.c metadata.c metadata_past.c fork.c)
$(foreach t,profiler targets periodic fork,\
	$(eval $(call unit_test,sampler_$(t),tests/unit/sampler_$(t).c tests/unit/sampler_fakes.c \
		$(sampler_core),,-pthread)))
# (not sampler_fork: ThreadSanitizer knows no threads in a child)
threaded += $(addprefix $(O)/tests/sampler_,profiler targets periodic)

# by what programs link with
$(eval $(call unit_test,sampler_profiles,tests/unit/sampler_profiles.c,libsampler.a,\
	$(sampler_ldlibs)))
