# unit tests of code made at run time: daemon/jit_*, libagent/
$(foreach t,readers layout files processes,\
	$(eval $(call unit_test,jit_$(t),tests/unit/jit_$(t).c,\
		libdaemon.a libdb.a libevents.a libbuildid.a libutil.a)))
$(eval $(call unit_test,jit_object,tests/unit/jit_object.c,\
	libdaemon.a libpp.a libdb.a libevents.a libbuildid.a libutil.a,$(pp_ldlibs)))
$(eval $(call unit_test,opagent,tests/unit/opagent.c libagent/opagent.c libagent/dump_folder.c,\
	libdaemon.a libutil.a,-pthread))
threaded += $(O)/tests/opagent
