# Fuzz targets, one for each parser of bytes from anywhere
fuzz = $(foreach t,$(1),$(eval $(call fuzz_target,$(t),tests/fuzz/$(t).c,$(2))))
$(call fuzz,build_id,libutil.a)
$(call fuzz,odb sample_name session kernel_capture stacks history,libdb.a)
$(call fuzz,events_table,libevents.a)
$(call fuzz,unwind_build unwind_table,libunwind.a)
$(call fuzz,trans proc_text jit jit_descriptor perf_records perf_proc history_symbols,libdaemon.a)
$(call fuzz,control_channel,libdaemon.a libcontrol.a)
$(call fuzz,daemonrc event_plan,libcontrol.a)
$(O)/fuzz/event_plan: | $(data)
$(foreach f,$(wildcard tests/fuzz/formats/*.c),$(eval $(call fuzz_target,$(basename $(notdir $(f))),\
	$(f),libformats.a)))
$(call fuzz,brief_name go_symbols,libpp.a)
$(foreach f,$(wildcard tests/fuzz/pp/*.c),$(eval $(call fuzz_target,pp_$(basename $(notdir $(f))),\
	$(f),libpp.a)))
$(call fuzz,line_cache annotate_binary,libannotate.a)
$(call fuzz,import imported elsewhere,libexchange.a)
$(call fuzz,http,liblive.a)
ifneq ($(has_curl),)
$(call fuzz,push,libpush.a)
endif
$(call fuzz,xprof_text xprof_file gcov llvm_profile lcov,libfeedback.a)
