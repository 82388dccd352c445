# fuzz targets of opannotate
$(eval $(call fuzz_target,line_cache,tests/fuzz/line_cache.c,\
	libannotate.a libpp.a libdb.a libevents.a libbuildid.a libutil.a,\
	-lopcodes $(pp_ldlibs)))
