$(eval $(call bench_program,store,tests/bench/store.c,libdb.a libutil.a))
$(eval $(call bench_program,stacks,tests/bench/stacks.c,libdb.a libutil.a))
