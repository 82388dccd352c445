$(eval $(call fuzz_target,proto,tests/fuzz/proto.c,libformats.a libutil.a,$(formats_ldlibs)))
