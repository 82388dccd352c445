$(eval $(call bench_program,replay,tests/bench/replay.c tests/fake_collector.c,\
	libdaemon.a libdb.a libevents.a libbuildid.a libutil.a,-lpopt))
$(eval $(call bench_program,replay_chains,tests/bench/replay_chains.c tests/fake_collector.c,\
	libdaemon.a libdb.a libevents.a libbuildid.a libutil.a,-lpopt -pthread))
