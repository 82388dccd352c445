$(eval $(call unit_test,unwind_step,tests/unit/unwind_step.c))
$(eval $(call unit_test,unwind_reference,tests/unit/unwind_reference.c,libdaemon.a libutil.a,-ldw -lelf))
