# what unwind/ builds: unwind tables, for user space; the walk itself is in headers
$(eval $(call library,libunwind.a,$(call sources,unwind),libutil.a,-lz -pthread))
