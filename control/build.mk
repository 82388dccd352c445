# what control/ builds
$(eval $(call library,libcontrol.a,$(filter-out control/opcontrol/opcontrol.c,\
	$(call sources,control/opcontrol control/plan control/machine)),\
	libdaemon.a libdb.a libevents.a libutil.a,-lpopt -lelf))
$(eval $(call uses_dir,control/opcontrol/daemon_start.o,OP_SBINDIR,$(sbindir)))
$(eval $(call program,opcontrol,control/opcontrol/opcontrol.c,libcontrol.a))
$(eval $(call program,ophelp,$(call sources,control/ophelp),libevents.a libutil.a,-lpopt))
$(eval $(call library,libdoctor.a,$(filter-out control/opdoctor/opdoctor.c,$(call sources,control/opdoctor)),\
	libcontrol.a libpp.a))
$(eval $(call program,opdoctor,control/opdoctor/opdoctor.c,libdoctor.a))
