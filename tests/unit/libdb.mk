$(eval $(call unit_test,libdb_odb,tests/unit/libdb_odb.c,libdb.a libutil.a))
$(eval $(call unit_test,libdb_odb_hostile,tests/unit/libdb_odb_hostile.c,libdb.a libutil.a))
$(eval $(call unit_test,libdb_odb_crash,tests/unit/libdb_odb_crash.c,libdb.a libutil.a))
$(eval $(call unit_test,libdb_odb_full,tests/unit/libdb_odb_full.c,libdb.a libutil.a))
$(eval $(call unit_test,libdb_sample_header,tests/unit/libdb_sample_header.c,libdb.a libutil.a))
$(eval $(call unit_test,libdb_sample_name,tests/unit/libdb_sample_name.c,libdb.a libutil.a))
$(eval $(call unit_test,libdb_session,tests/unit/libdb_session.c,libdb.a libutil.a))
$(eval $(call unit_test,libdb_session_parts,tests/unit/libdb_session_parts.c,libdb.a libutil.a))
$(eval $(call unit_test,libdb_settle_stacks,tests/unit/libdb_settle_stacks.c,libdb.a libutil.a))
$(eval $(call unit_test,libdb_event_times,tests/unit/libdb_event_times.c,libdb.a libutil.a))
$(eval $(call unit_test,libdb_kernel_symbols,tests/unit/libdb_kernel_symbols.c,libdb.a libutil.a))
$(foreach t,libdb_stacks libdb_stacks_model libdb_stacks_crash libdb_stacks_full \
		libdb_stacks_hostile,\
	$(eval $(call unit_test,$(t),tests/unit/$(t).c,libdb.a libutil.a)))
