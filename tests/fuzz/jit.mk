# fuzz target of code made at run time: daemon/jit_*
$(eval $(call fuzz_target,jit,tests/fuzz/jit.c,libdaemon.a libutil.a))
