# what libagent/ builds: for programs that make code at run time
$(eval $(call shared_library,libopagent.so,1,libagent/opagent.c libagent/dump_folder.c,\
	libagent/opagent.map,-pthread))

# for Java, where a JDK is: JDK=FOLDER is another one; agent_rpath= if
# ld.so finds libopagent by itself
agent_rpath ?= '-Wl,-rpath,$$ORIGIN/..'
JDK ?= $(firstword $(patsubst %/include/jvmti.h,%,$(wildcard $(JAVA_HOME)/include/jvmti.h \
	/usr/lib/jvm/default-java/include/jvmti.h /usr/lib/jvm/*/include/jvmti.h)))
ifneq ($(JDK),)
$(eval $(call plugin,libjvmti_oprofile.so,libagent/jvmti_agent.c libagent/jvmti_lines.c))
$(O)/libagent/jvmti_agent.o $(O)/libagent/jvmti_lines.o: cppflags += -isystem $(JDK)/include \
	-isystem $(JDK)/include/linux
$(O)/lib/oprofile/libjvmti_oprofile.so: LIBS := -L$(O)/lib -lopagent $(agent_rpath)
$(O)/lib/oprofile/libjvmti_oprofile.so: | $(O)/lib/libopagent.so
endif
