$(foreach t,formats_proto formats_proto_made formats_read_back,\
	$(eval $(call unit_test,$(t),tests/unit/$(t).c tests/profile_print.c,\
		libformats.a libutil.a,$(formats_ldlibs))))
