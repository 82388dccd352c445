# what operf/ builds
$(eval $(call library,liboperf.a,operf/launch.c operf/plan.c operf/rights.c operf/operf_options.c \
	operf/profile_dir.c operf/operf_end.c operf/ocount_options.c operf/tool_options.c \
	operf/count.c operf/count_format.c operf/watch.c))
$(eval $(call program,operf,operf/operf.c operf/operf_set_up.c,liboperf.a libcontrol.a \
	libdaemon.a libdb.a libevents.a libbuildid.a libutil.a,-lpopt -lelf -ldl))
$(eval $(call program,ocount,operf/ocount.c,liboperf.a libcontrol.a \
	libdaemon.a libdb.a libevents.a libbuildid.a libutil.a,-lpopt -lelf -ldl))
$(eval $(call program,opsample,operf/opsample.c operf/opsample_target.c \
	libsampler/opsample_settings.c libsampler/session_folder.c,liboperf.a libcontrol.a libdaemon.a libdb.a libevents.a \
	libbuildid.a libutil.a,-lpopt -lelf -ldl))
