$(eval $(call unit_test,formats_proto,tests/unit/formats_proto.c tests/profile_print.c,\
	libformats.a libutil.a,-lz))
