# unit tests of pp/
$(foreach t,spec format sort arrange populate samples options binary compare stacks,\
	$(eval $(call unit_test,pp_$(t),tests/unit/pp_$(t).c,\
		libpp.a libdb.a libevents.a libbuildid.a libutil.a,\
		$(pp_ldlibs))))
$(eval $(call unit_test,pp_pgo,tests/unit/pp_pgo.c,\
	libexport.a libpp.a libformats.a libdb.a libevents.a libbuildid.a libutil.a,\
	$(pp_ldlibs) $(formats_ldlibs)))
$(eval $(call unit_test,pp_import,tests/unit/pp_import.c,\
	libimport.a libexport.a libformats.a libpp.a libdb.a libevents.a libbuildid.a libutil.a,\
	$(formats_ldlibs) $(pp_ldlibs)))
