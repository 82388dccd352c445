# what libdb/ builds
$(eval $(call library,libdb.a,$(call sources,libdb/odb libdb/session libdb/stack libdb/history),libutil.a,-lz -lzstd))
