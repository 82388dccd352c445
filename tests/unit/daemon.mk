# unit tests of the daemon without its perf collector (perf.mk)
$(foreach t,trans kernel recorder recorder_session events sfile control options \
	device process killed settle full_disk parts binaries ibs_events ibs_files ibs stacks \
	stacks_session \
	unwind_push callgraph,\
	$(eval $(call unit_test,daemon_$(t),tests/unit/daemon_$(t).c tests/fake_collector.c,\
		libdaemon.a libdb.a libevents.a libbuildid.a libutil.a,-lpopt -pthread)))
$(eval $(call unit_test,perf_ibs,tests/unit/perf_ibs.c,libdaemon.a libdb.a libevents.a \
	libbuildid.a libutil.a))
