# unit tests of libsampler
$(eval $(call unit_test,sampler_schedule,tests/unit/sampler_schedule.c libsampler/schedule.c))
$(eval $(call unit_test,sampler_metadata,tests/unit/sampler_metadata.c libsampler/metadata.c,,-pthread))
threaded += $(O)/tests/sampler_metadata
