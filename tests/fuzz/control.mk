# fuzz targets of control/
$(eval $(call fuzz_target,daemonrc,tests/fuzz/daemonrc.c,libcontrol.a libdb.a libevents.a libutil.a,-lpopt -lelf))
