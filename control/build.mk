# what control/ builds
$(eval $(call library,libcontrol.a,control/command_line.c control/setup.c control/buffer_sizes.c \
	control/daemonrc.c control/vmlinux.c control/driver.c control/host.c \
	control/module_state.c control/watchdog.c control/collector_choice.c control/event_plan.c \
	control/event_plan_counters.c control/event_plan_ibs.c control/child.c \
	control/daemon_link.c control/daemon_start.c control/offline.c control/status.c \
	control/actions.c control/actions_start.c))
$(eval $(call program,opcontrol,control/opcontrol.c,libcontrol.a libdb.a libevents.a \
	libutil.a,-lpopt -lelf -ldl))
$(eval $(call program,ophelp,control/ophelp.c control/ophelp_options.c control/ophelp_text.c \
	control/ophelp_markup.c control/ophelp_answer.c,libevents.a libutil.a,-lpopt -ldl))
