# unit tests of what is for other tools and machines: opgprof, oparchive, opimport
$(eval $(call unit_test,gmon,tests/unit/gmon.c,libgprof.a libutil.a))
$(eval $(call unit_test,sha256,tests/unit/sha256.c,libarchive.a))
