# fuzz targets of pp/
$(foreach t,spec report binary unpack stacks,\
	$(eval $(call fuzz_target,pp_$(t),tests/fuzz/pp_$(t).c,\
		libpp.a libdb.a libevents.a libbuildid.a libutil.a,$(pp_ldlibs))))
