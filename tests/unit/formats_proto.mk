$(eval $(call unit_test,formats_proto,tests/unit/formats_proto.c tests/profile_print.c,\
	libformats.a libutil.a,$(formats_ldlibs)))
$(eval $(call unit_test,formats_read_back,tests/unit/formats_read_back.c tests/profile_print.c,\
	libformats.a libutil.a,$(formats_ldlibs)))
