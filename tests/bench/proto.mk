$(eval $(call bench_program,proto,tests/bench/proto.c,libformats.a libutil.a,$(formats_ldlibs)))
