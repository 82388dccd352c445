# text to sessions, for golden tests
test_tools += $(O)/tools/mkprofile
all_objs += $(O)/tests/golden/mkprofile.o
$(O)/tools/mkprofile: LIBS :=
$(O)/tools/mkprofile: $(O)/tests/golden/mkprofile.o \
		$(addprefix $(O)/lib/,libdb.a libevents.a libutil.a)
	$(link)
# samples of other machines, for opimport's
test_tools += $(O)/tools/mkforeign
all_objs += $(O)/tests/golden/mkforeign.o
$(O)/tools/mkforeign: LIBS :=
$(O)/tools/mkforeign: $(O)/tests/golden/mkforeign.o $(addprefix $(O)/lib/,libdb.a libutil.a)
	$(link)
# text to call chains
test_tools += $(O)/tools/mkstacks
all_objs += $(O)/tests/golden/mkstacks.o
$(O)/tools/mkstacks: LIBS :=
$(O)/tools/mkstacks: $(O)/tests/golden/mkstacks.o $(addprefix $(O)/lib/,libdb.a libutil.a)
	$(link)
