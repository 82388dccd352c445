# fuzz targets of the unwind tables
$(eval $(call fuzz_target,unwind_build,tests/fuzz/unwind_build.c,libdaemon.a libutil.a))
$(eval $(call fuzz_target,unwind_table,tests/fuzz/unwind_table.c))
