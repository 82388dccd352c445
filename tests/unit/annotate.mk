# unit tests of opannotate: line tables, their cache, disassembly
annotate_libs := libannotate.a libpp.a libdb.a libevents.a libbuildid.a libutil.a
$(foreach t,line_record line_cache line_table line_binary annotate_options annotate_paths \
	disassemble,\
	$(eval $(call unit_test,$(t),tests/unit/$(t).c,$(annotate_libs),\
		-lopcodes $(pp_ldlibs))))
