# text to sessions, for golden tests
test_tools += $(O)/tools/mkprofile
all_objs += $(O)/tests/golden/mkprofile.o
$(O)/tools/mkprofile: LIBS :=
$(O)/tools/mkprofile: $(O)/tests/golden/mkprofile.o $(addprefix $(O)/lib/,libdb.a libevents.a libutil.a)
	$(link)
