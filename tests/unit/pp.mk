# unit tests of pp/ and events/
$(foreach t,spec format sort arrange populate samples options,\
	$(eval $(call unit_test,pp_$(t),tests/unit/pp_$(t).c,\
		libpp.a libdb.a libevents.a libbuildid.a libutil.a,-lbfd -lpopt -lelf -lm)))
$(eval $(call unit_test,events_cpu_type,tests/unit/events_cpu_type.c,libevents.a))
