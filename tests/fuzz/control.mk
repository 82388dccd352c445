# fuzz targets of control/
$(eval $(call fuzz_target,daemonrc,tests/fuzz/daemonrc.c,libcontrol.a libdb.a libevents.a \
	libutil.a,-lpopt -lelf))
$(eval $(call fuzz_target,event_plan,tests/fuzz/event_plan.c,libcontrol.a libdb.a libevents.a \
	libutil.a,-lpopt -lelf -ldl))
$(eval $(O)/fuzz/event_plan: | $(data))
