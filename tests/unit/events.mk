# unit tests of events/
$(foreach t,cpu_type table alloc request data detect sample arm siblings,\
	$(eval $(call unit_test,events_$(t),tests/unit/events_$(t).c,libevents.a libutil.a,-ldl)))
# libpfm4 is asked where it is
$(eval $(call unit_test,events_pfm,tests/unit/events_pfm.c,libevents.a libutil.a,\
	$(if $(wildcard /usr/include/perfmon/pfmlib.h),-lpfm) -ldl))
# ophelp's parts, on machines that are not at hand
$(eval $(call unit_test,events_hybrid,tests/unit/events_hybrid.c control/ophelp/answer.c \
	control/ophelp/text.c control/ophelp/markup.c,libevents.a libutil.a,-ldl))
$(foreach t,data detect sample arm siblings pfm hybrid,$(eval $(O)/tests/events_$(t): | $(data)))
$(eval $(call test_tool,events-lint,tests/events_lint.c,libevents.a libutil.a,-ldl))
