# unit tests of operf/; operf itself is run by tests/golden/operf.test
$(eval $(call unit_test,ocount,tests/unit/ocount.c,liboperf.a libcontrol.a libdaemon.a libdb.a \
	libevents.a libbuildid.a libutil.a,-lpopt -ldl))
