# a line for each format
formats_tests := formats_profile formats_file formats_refused formats_memory
formats_tests += formats_callgrind
formats_tests += formats_maps formats_cpuprofile formats_cpuprofile_write
formats_tests += formats_speedscope
formats_tests += formats_firefox
formats_tests += formats_folded
formats_tests += formats_perf_script
$(foreach t,$(formats_tests),\
	$(eval $(call unit_test,$(t),tests/unit/$(t).c,libformats.a libutil.a,$(formats_ldlibs))))
