# fuzz targets of formats/, a line for each format
formats_fuzzers := cpuprofile folded perf_script
$(foreach t,$(formats_fuzzers),\
	$(eval $(call fuzz_target,$(t),tests/fuzz/$(t).c,libformats.a libutil.a,-lz)))
