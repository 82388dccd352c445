# what daemon/ builds
daemon_mains := daemon/main.c daemon/set_up.c daemon/opjitconv.c
daemon_rooms := daemon $(addprefix daemon/,collect collect/ibs collect/module collect/perf collect/registered history jit record)
$(eval $(call library,libdaemon.a,$(filter-out $(daemon_mains),$(call sources,$(daemon_rooms))),\
	libunwind.a libdb.a libevents.a libutil.a,-lpopt -pthread))
$(eval $(call program,oprofiled,daemon/main.c daemon/set_up.c,libdaemon.a))
$(eval $(call program,opjitconv,daemon/opjitconv.c,libdaemon.a))
