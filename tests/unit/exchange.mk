# unit tests of what is for other tools: opgprof
$(eval $(call unit_test,gmon,tests/unit/gmon.c,libgprof.a libutil.a))
