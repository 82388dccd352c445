# fuzz targets of formats/, a line for each format
formats_fuzzers := callgrind cpuprofile csv firefox folded perf_script speedscope
$(foreach t,$(formats_fuzzers),\
	$(eval $(call fuzz_target,$(t),tests/fuzz/$(t).c,libformats.a libutil.a,$(formats_ldlibs))))
