# fuzz targets of the daemon
$(eval $(call fuzz_target,trans,tests/fuzz/trans.c,libdaemon.a libutil.a))
