# fuzz targets of pp/
$(foreach t,spec report binary unpack stacks,\
	$(eval $(call fuzz_target,pp_$(t),tests/fuzz/pp_$(t).c,\
		libpp.a libdb.a libevents.a libbuildid.a libutil.a,$(pp_ldlibs))))
$(eval $(call fuzz_target,imported,tests/fuzz/imported.c,\
	libimport.a libexport.a libformats.a libpp.a libdb.a libevents.a libbuildid.a libutil.a,\
	$(formats_ldlibs) $(pp_ldlibs)))
$(eval $(call fuzz_target,http,tests/fuzz/http.c,libserve.a libutil.a))
