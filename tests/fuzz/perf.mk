# fuzz targets of the perf collector, daemon/perf_*
$(foreach t,records proc,\
	$(eval $(call fuzz_target,perf_$(t),tests/fuzz/perf_$(t).c,\
		libdaemon.a libdb.a libevents.a libbuildid.a libutil.a)))
