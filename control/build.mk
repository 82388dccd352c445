# what control/ builds
$(eval $(call library,libcontrol.a,control/opcontrol/command_line.c control/opcontrol/setup.c control/opcontrol/buffer_sizes.c \
	control/opcontrol/daemonrc.c control/machine/vmlinux.c control/machine/driver.c control/machine/host.c \
	control/machine/module_state.c control/opcontrol/watchdog.c control/machine/collector_choice.c control/plan/plan.c \
	control/plan/counters.c control/plan/ibs.c control/opcontrol/child.c \
	control/opcontrol/daemon_link.c control/opcontrol/daemon_start.c control/opcontrol/offline.c control/opcontrol/status.c \
	control/opcontrol/actions.c control/opcontrol/actions_start.c))
$(eval $(call program,opcontrol,control/opcontrol/opcontrol.c,libcontrol.a libdb.a libevents.a \
	libutil.a,-lpopt -lelf -ldl))
$(eval $(call program,ophelp,control/ophelp/ophelp.c control/ophelp/options.c control/ophelp/text.c \
	control/ophelp/markup.c control/ophelp/answer.c,libevents.a libutil.a,-lpopt -ldl))
