# what operf/ builds
operf_mains := operf/operf.c operf/set_up.c operf/ocount/ocount.c
$(eval $(call library,liboperf.a,$(filter-out $(operf_mains),$(call sources,operf operf/ocount)),\
	libcontrol.a libdaemon.a))
$(eval $(call program,operf,operf/operf.c operf/set_up.c,liboperf.a))
$(eval $(call program,ocount,operf/ocount/ocount.c,liboperf.a))
$(eval $(call uses_dir,operf/opsample/opsample.o,OP_PKGLIBDIR,$(pkglibdir)))
$(eval $(call program,opsample,$(call sources,operf/opsample) libsampler/opsample/settings.c \
	libsampler/session/folder.c,liboperf.a))
