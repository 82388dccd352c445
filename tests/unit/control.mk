# unit tests of control/
$(foreach t,event_spec daemonrc command_line setup link dying stuck vmlinux,\
	$(eval $(call unit_test,control_$(t),tests/unit/control_$(t).c,libcontrol.a libdb.a libutil.a,-lpopt -lelf)))
