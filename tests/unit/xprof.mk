$(foreach t,xprof_file,\
	$(eval $(call unit_test,$(t),tests/unit/$(t).c,libxprof.a libformats.a libutil.a,-lz -lm)))
