$(eval $(call bench_program,perf_cpu,tests/bench/perf_cpu.c,libdaemon.a libdb.a libevents.a \
	libbuildid.a libutil.a))
