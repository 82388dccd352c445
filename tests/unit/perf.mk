# unit tests of the perf collector, daemon/perf_*
$(foreach t,collector short_lived maps order process records ring setup words fuse,\
	$(eval $(call unit_test,perf_$(t),tests/unit/perf_$(t).c,\
		libdaemon.a libdb.a libbuildid.a libutil.a)))
