# file descriptors of the sampling thread, by what programs link with
$(eval $(call unit_test,sampler_own_files,tests/unit/sampler_own_files.c,libsampler.a,\
	$(sampler_ldlibs)))
