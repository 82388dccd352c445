# unit tests of the perf collector, daemon/perf_*
$(foreach t,collector counters events lowered short_lived maps order process records ring setup words \
	rings fuse targets chain copy_size,\
	$(eval $(call unit_test,perf_$(t),tests/unit/perf_$(t).c,\
		libdaemon.a libdb.a libevents.a libbuildid.a libutil.a)))
