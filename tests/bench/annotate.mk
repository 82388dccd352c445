$(eval $(call bench_program,line_lookup,tests/bench/line_lookup.c,\
	libannotate.a libpp.a libdb.a libevents.a libbuildid.a libutil.a,\
	-lopcodes $(pp_ldlibs)))
