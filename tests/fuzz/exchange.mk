# fuzz targets of what goes to and comes from other machines: opgprof, oparchive, opimport
$(eval $(call fuzz_target,import,tests/fuzz/import.c,libimport.a libdb.a libutil.a))
$(eval $(call fuzz_target,elsewhere,tests/fuzz/elsewhere.c,\
	libgprof.a libarchive.a libpp.a libdb.a libevents.a libbuildid.a libutil.a,\
	$(pp_ldlibs) -lmd))
