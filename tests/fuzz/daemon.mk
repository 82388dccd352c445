# fuzz targets of the daemon
$(eval $(call fuzz_target,trans,tests/fuzz/trans.c,libdaemon.a libutil.a))
$(eval $(call fuzz_target,proc_text,tests/fuzz/proc_text.c,libdaemon.a libdb.a libutil.a))
$(eval $(call fuzz_target,control_channel,tests/fuzz/control_channel.c,\
	libdaemon.a libcontrol.a libdb.a libutil.a,-lpopt -lelf -pthread))
