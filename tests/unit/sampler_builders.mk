# libsampler's builders, without a sampling thread
$(foreach t,sampler_files sampler_session,\
	$(eval $(call unit_test,$(t),tests/unit/$(t).c,libsamplerparts.a libformats.a libdb.a \
		libbuildid.a libutil.a,-ldw -lelf $(formats_ldlibs) -lpthread)))
