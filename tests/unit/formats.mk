$(foreach t,formats_profile formats_file formats_callgrind,\
	$(eval $(call unit_test,$(t),tests/unit/$(t).c,libformats.a libutil.a,-lz)))
