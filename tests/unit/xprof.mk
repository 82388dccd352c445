$(foreach t,xprof_file xprof_memory,\
	$(eval $(call unit_test,$(t),tests/unit/$(t).c,libxprof.a libformats.a libutil.a,$(formats_ldlibs))))
$(eval $(call unit_test,xprof_flow,tests/unit/xprof_flow.c feedback/session/control_flow.c,libxprof.a libutil.a))
