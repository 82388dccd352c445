unwind_libs := libdaemon.a libbuildid.a libutil.a
$(eval $(call unit_test,unwind_step,tests/unit/unwind_step.c))
$(eval $(call unit_test,unwind_lookup,tests/unit/unwind_lookup.c))
$(eval $(call unit_test,unwind_build,tests/unit/unwind_build.c,$(unwind_libs),-pthread))
$(eval $(call unit_test,unwind_section,tests/unit/unwind_section.c,$(unwind_libs)))
$(eval $(call unit_test,unwind_plt,tests/unit/unwind_plt.c,$(unwind_libs)))
$(eval $(call unit_test,unwind_reference,tests/unit/unwind_reference.c,$(unwind_libs),-ldw -lelf))
$(eval $(call unit_test,unwind_cache,tests/unit/unwind_cache.c,$(unwind_libs),-pthread))
# its worker and those who ask are threads: also run under ThreadSanitizer
threaded += $(O)/tests/unwind_cache
$(eval $(call unit_test,unwind_throws,tests/unit/unwind_throws.c,$(unwind_libs)))
ifneq ($(filter %/exceptions,$(test_tools)),)
$(O)/tests/unit/unwind_throws.o: CPPFLAGS += -DHAVE_CXX
$(O)/tests/unwind_throws: | $(O)/tools/exceptions
endif
# what is walked has no frame pointers, and is linked in each way that there is
unwind_walk := tests/unit/unwind_walk.c tests/unit/unwind_calls.c
unwind_lazy := -Wl,-z,lazy
$(O)/tests/unit/unwind_calls.o: CFLAGS += -fomit-frame-pointer -fexceptions -fno-sanitize=all
$(eval $(call unit_test,unwind_walk,$(unwind_walk),$(unwind_libs),$(unwind_lazy)))
ifeq ($(SAN),)
ifneq ($(wildcard $(shell $(CC) -print-file-name=libc.a)),)
$(eval $(call unit_test,unwind_walk_static,$(unwind_walk),$(unwind_libs),-static))
$(eval $(call unit_test,unwind_walk_static_pie,$(unwind_walk),$(unwind_libs),-static-pie))
endif
endif
