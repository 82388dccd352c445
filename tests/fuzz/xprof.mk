# fuzz targets of profile feedback
$(foreach t,xprof_text xprof_file gcov,\
	$(eval $(call fuzz_target,$(t),tests/fuzz/$(t).c,\
		libxprof.a libformats.a libutil.a,$(formats_ldlibs))))
