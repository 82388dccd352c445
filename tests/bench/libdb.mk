$(eval $(call bench_program,store,tests/bench/store.c,libdb.a libutil.a))
