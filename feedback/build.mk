# what feedback/ builds: profile feedback, which has a model of its own
$(eval $(call library,libfeedback.a,feedback/tool.c \
	$(call sources,feedback/xprof feedback/gcov feedback/llvm feedback/session),libexchange.a libannotate.a))
$(foreach t,xprof_atob xprof_btoa xprof_gcov xprof_llvm xprof_use optcov opxprof,\
	$(eval $(call program,$(t),feedback/$(t).c,libfeedback.a)))
