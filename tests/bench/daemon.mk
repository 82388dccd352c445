$(eval $(call bench_program,replay,tests/bench/replay.c tests/fake_collector.c,\
	libdaemon.a libdb.a libevents.a libbuildid.a libutil.a,-lpopt))
