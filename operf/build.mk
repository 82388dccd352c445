# what operf/ builds
$(eval $(call library,liboperf.a,operf/launch.c operf/plan.c operf/rights.c operf/operf_options.c \
	operf/profile_dir.c operf/end.c operf/ocount/options.c operf/tool_options.c \
	operf/ocount/count.c operf/ocount/format.c operf/watch.c))
$(eval $(call program,operf,operf/operf.c operf/set_up.c,liboperf.a libcontrol.a \
	libdaemon.a libdb.a libevents.a libbuildid.a libutil.a,-lpopt -lelf -ldl))
$(eval $(call program,ocount,operf/ocount/ocount.c,liboperf.a libcontrol.a \
	libdaemon.a libdb.a libevents.a libbuildid.a libutil.a,-lpopt -lelf -ldl))
$(eval $(call program,opsample,operf/opsample/opsample.c operf/opsample/target.c \
	libsampler/opsample/settings.c libsampler/session/folder.c,liboperf.a libcontrol.a libdaemon.a libdb.a libevents.a \
	libbuildid.a libutil.a,-lpopt -lelf -ldl))
