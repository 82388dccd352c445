# made_code.mk - the program that runs code of its own making, for tests of reports about it
$(eval $(call test_tool,made-code,tests/workload/made_code.c,))
$(O)/tools/made-code: LIBS := -L$(O)/lib -lopagent '-Wl,-rpath,$$ORIGIN/../lib'
$(O)/tools/made-code: | $(O)/lib/libopagent.so
