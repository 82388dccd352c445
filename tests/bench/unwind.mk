$(O)/tests/bench/unwind.o: CFLAGS += -fomit-frame-pointer
$(eval $(call bench_program,unwind,tests/bench/unwind.c,libdaemon.a libutil.a,-ldw -lelf))
