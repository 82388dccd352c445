# unit tests of control/
$(foreach t,daemonrc command_line setup link choice plan plan_tables dying stuck vmlinux,\
	$(eval $(call unit_test,control_$(t),tests/unit/control_$(t).c,libcontrol.a libdb.a \
	libevents.a libutil.a,-lpopt -lelf -ldl)))
# they read event tables
$(foreach t,choice plan plan_tables,$(eval $(O)/tests/control_$(t): | $(data)))
