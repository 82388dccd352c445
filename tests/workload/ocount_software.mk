# ocount_software.mk - ocount that counts the kernel's own events, for tests without counters
$(eval $(call test_tool,ocount-software,operf/ocount/ocount.c tests/workload/ocount_software.c,\
	liboperf.a libcontrol.a libdaemon.a libdb.a libevents.a libbuildid.a libutil.a,\
	-Xlinker --wrap=plan_make -Xlinker --wrap=perf_counters_make -lpopt -lelf -ldl))
