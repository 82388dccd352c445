unwind_libs := libdaemon.a libbuildid.a libutil.a
$(eval $(call unit_test,unwind_step,tests/unit/unwind_step.c))
$(eval $(call unit_test,unwind_reference,tests/unit/unwind_reference.c,$(unwind_libs),-ldw -lelf))
$(eval $(call unit_test,unwind_cache,tests/unit/unwind_cache.c,$(unwind_libs),-pthread))
# its worker and those who ask are threads: also run under ThreadSanitizer
threaded += $(O)/tests/unwind_cache
