# fuzz targets of opannotate
$(foreach t,line_cache annotate_binary,\
	$(eval $(call fuzz_target,$(t),tests/fuzz/$(t).c,\
		libannotate.a libpp.a libdb.a libevents.a libbuildid.a libutil.a,\
		-lopcodes $(pp_ldlibs))))
