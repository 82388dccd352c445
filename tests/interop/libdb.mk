# what sample-files.t runs
define interop_tool
test_tools += $(O)/tools/$(1)
all_objs += $(O)/tests/interop/$(1).o
$(O)/tools/$(1): LIBS :=
$(O)/tools/$(1): $(O)/tests/interop/$(1).o $(addprefix $(O)/lib/,libdb.a libutil.a)
	$$(link)
endef
$(foreach t,sample_files sample_header,$(eval $(call interop_tool,$(t))))
