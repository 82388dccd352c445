# readers of what the tools write and none of ours reads
$(eval $(call test_tool,read_gmon,tests/golden/read_gmon.c))
$(eval $(call test_tool,read_llvm_sample,tests/golden/read_llvm_sample.c))
