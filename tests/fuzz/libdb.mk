# fuzz targets of libdb/ and libutil/
$(foreach t,odb sample_name session kernel_capture stacks,\
	$(eval $(call fuzz_target,$(t),tests/fuzz/$(t).c,libdb.a libutil.a)))
$(eval $(call fuzz_target,build_id,tests/fuzz/build_id.c,libbuildid.a libutil.a))
