# What sample-files.t runs, and what our-sessions.t runs: none of our libraries are in that
$(foreach t,sample_files sample_header,$(eval $(call test_tool,$(t),tests/interop/$(t).c,libdb.a)))
$(eval $(call test_tool,original_rules,tests/interop/original_rules.c))
