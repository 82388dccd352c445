# what libagent/ builds: for programs that make code at run time
$(eval $(call shared_library,libopagent.so,1,libagent/opagent.c libagent/dump_folder.c,\
	libagent/opagent.map,-pthread))
