# fuzz targets of what comes from other machines: opimport
$(eval $(call fuzz_target,import,tests/fuzz/import.c,libimport.a libdb.a libutil.a))
