$(eval $(call bench_program,report,tests/bench/report.c,\
	libpp.a libdb.a libevents.a libbuildid.a libutil.a,$(pp_ldlibs)))
