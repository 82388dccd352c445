# unit tests of control/
$(foreach t,daemonrc command_line setup link status choice plan plan_tables dying stuck \
	stuck_oprofiled vmlinux,\
	$(eval $(call unit_test,control_$(t),tests/unit/control_$(t).c,libcontrol.a libdb.a \
	libevents.a libutil.a,-lpopt -lelf -ldl)))
# they read event tables
$(foreach t,choice plan plan_tables,$(eval $(O)/tests/control_$(t): | $(data)))
# they wait for daemons that do not answer
waiting += $(O)/tests/control_stuck $(O)/tests/control_stuck_oprofiled
