$(eval $(call unit_test,unwind_step,tests/unit/unwind_step.c))
