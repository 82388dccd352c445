# unit tests of operf/; operf itself is run by tests/golden/operf.test
$(eval $(call unit_test,ocount,tests/unit/ocount.c,liboperf.a libcontrol.a libdaemon.a libdb.a \
	libevents.a libbuildid.a libutil.a,-lpopt -ldl))
$(eval $(call unit_test,operf_rights,tests/unit/operf_rights.c,liboperf.a libutil.a,-ldl))
$(eval $(call unit_test,operf_end,tests/unit/operf_end.c,liboperf.a libdaemon.a libdb.a \
	libutil.a))
