# what our-sessions.t runs: none of our libraries are in it
test_tools += $(O)/tools/original_rules
all_objs += $(O)/tests/interop/original_rules.o
$(O)/tools/original_rules: LIBS :=
$(O)/tools/original_rules: $(O)/tests/interop/original_rules.o
	$(link)
