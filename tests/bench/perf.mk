$(foreach t,perf_cpu perf_callers,\
	$(eval $(call bench_program,$(t),tests/bench/$(t).c,libdaemon.a libdb.a libevents.a \
		libbuildid.a libutil.a)))
