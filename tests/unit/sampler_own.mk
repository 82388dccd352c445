# file descriptors of the sampling thread, by what programs link with
$(eval $(call unit_test,sampler_own_files,tests/unit/sampler_own_files.c,libsampler.a,\
	$(sampler_ldlibs)))
# whose a session directory is, likewise
$(eval $(call unit_test,sampler_session_dir,tests/unit/sampler_session_dir.c,libsampler.a libutil.a,\
	$(sampler_ldlibs)))
# a clock of the test's, as sampler.mk has it
$(eval $(call unit_test,sampler_new_threads,tests/unit/sampler_new_threads.c \
	tests/unit/sampler_fakes.c $(sampler_core),,-pthread))
