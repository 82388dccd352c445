# unit tests of events/
$(foreach t,cpu_type table alloc request data,\
	$(eval $(call unit_test,events_$(t),tests/unit/events_$(t).c,libevents.a libutil.a)))
$(O)/tests/events_data: | $(data)
$(eval $(call test_tool,events-lint,tests/events_lint.c,libevents.a libutil.a))
