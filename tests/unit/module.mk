$(eval $(call unit_test,module_ring,tests/unit/module_ring.c,,-pthread))
$(eval $(call unit_test,module_words,tests/unit/module_words.c))
$(eval $(call unit_test,oprofilefs_number,tests/unit/oprofilefs_number.c oprofilefs/number.c))
$(eval $(call unit_test,oprofilefs_table,tests/unit/oprofilefs_table.c))
# its writer and reader are two threads: also run under ThreadSanitizer
threaded += $(O)/tests/module_ring
pmu_engine := $(addprefix module/arch/x86/,pmu_plan.c pmu_run.c pmu_overflow.c)
$(eval $(call unit_test,module_msr_intel,\
	tests/unit/module_msr_intel.c tests/unit/msr_model.c tests/unit/refuse.c $(pmu_engine) \
	module/arch/x86/pmu_intel.c))
$(eval $(call unit_test,module_msr_overflow,\
	tests/unit/module_msr_overflow.c tests/unit/msr_model.c tests/unit/refuse.c $(pmu_engine) \
	module/arch/x86/pmu_intel.c))
$(eval $(call unit_test,module_msr_amd,\
	tests/unit/module_msr_amd.c tests/unit/msr_model.c tests/unit/refuse.c $(pmu_engine) \
	module/arch/x86/pmu_amd.c))
ibs_model := tests/unit/ibs_model.c tests/unit/msr_model.c tests/unit/refuse.c module/arch/x86/ibs.c
$(eval $(call unit_test,module_ibs,tests/unit/module_ibs.c $(ibs_model)))
$(eval $(call unit_test,module_ibs_nmi,tests/unit/module_ibs_nmi.c $(ibs_model)))
# compiles module/arch/x86/ibs.c itself
$(eval $(call unit_test,module_ibs_stop,\
	tests/unit/module_ibs_stop.c tests/unit/ibs_model.c tests/unit/msr_model.c \
	tests/unit/refuse.c))
$(eval $(call unit_test,module_msr_sets,\
	tests/unit/module_msr_sets.c tests/unit/msr_model.c tests/unit/refuse.c $(pmu_engine) \
	module/arch/x86/pmu_intel.c module/arch/x86/pmu_amd.c))
# compile module/arch/x86/cpus.c and module/op_model_perf.c themselves, for a kernel that is made up
$(O)/tests/unit/module_cpus.o $(O)/tests/unit/module_perf.o: CPPFLAGS += -Itests/unit/kernel
$(eval $(call unit_test,module_cpus,tests/unit/module_cpus.c tests/unit/refuse.c))
$(eval $(call unit_test,module_perf,tests/unit/module_perf.c tests/unit/refuse.c))
