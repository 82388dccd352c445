# What runs inside the test machines: workloads of known shape and the checkers
#
# Workloads are neither optimised away nor instrumented: their own flags, whatever SAN= says.

VM_CFLAGS  := -std=gnu11 -O2 -g $(WARN) -D_GNU_SOURCE -I.
vm_static  := $(addprefix $(O)/vm/bin/,calibrate shares-static spawn threads scatter made-code \
	registered bpf churn)
vm_dynamic := $(addprefix $(O)/vm/bin/,shares-pie loader)
vm_numbers := 00 01 02 03 04 05 06 07 08 09 10 11 12 13 14 15 16 17 18 19
vm_variants  := $(vm_numbers:%=$(O)/vm/bin/v%)
vm_libraries := $(vm_numbers:%=$(O)/vm/bin/libv%.so)
vm_header  := tests/vm/workloads/spin.h

vm_calltrees := $(addprefix $(O)/vm/bin/,calltree-fp calltree gaps-fp)

.PHONY: vm-programs
vm-programs: $(vm_static) $(vm_calltrees) $(vm_dynamic) $(vm_variants) $(vm_libraries) \
	$(addprefix $(O)/vm/bin/,odb-check probe tally perf-hold gaps busy stacks fuzz)

# the programs of tests/unit whose stacks are known, for cases that ask for them
.PHONY: known-stacks
known-stacks: $(filter %/call_tree %/call_tree-fp %/call_tree-static %/call_tree-static-pie %/exceptions \
	%/calltree32 %/calltree32-fp,\
	$(test_tools))

# what a test machine of another architecture needs of ours, besides
.PHONY: guest-programs
guest-programs: $(O)/bin/oprofiled $(O)/bin/opcontrol vm-programs

vm_cc = @mkdir -p $(@D); $(if $(V),,printf '  %-7s %s\n' CC $(@:$(O)/%=%);) $(CC) $(VM_CFLAGS)

$(O)/vm/bin/shares-static: tests/vm/workloads/shares.c $(vm_header)
	$(vm_cc) -static -no-pie -o $@ $< -pthread
$(O)/vm/bin/shares-pie: tests/vm/workloads/shares.c $(vm_header)
	$(vm_cc) -fPIE -pie -o $@ $< -pthread
$(vm_variants): $(O)/vm/bin/v%: tests/vm/workloads/variant.c $(vm_header)
	$(vm_cc) -DVARIANT=$* -fno-toplevel-reorder -static -no-pie -o $@ $<
$(vm_libraries): $(O)/vm/bin/libv%.so: tests/vm/workloads/variant.c $(vm_header)
	$(vm_cc) -DVARIANT=$* -fno-toplevel-reorder -DLIBRARY -fPIC -shared -o $@ $<
$(O)/vm/bin/loader: tests/vm/workloads/loader.c
	$(vm_cc) -o $@ $< -ldl
$(O)/vm/bin/calltree-fp: tests/vm/workloads/calltree.c $(vm_header)
	$(vm_cc) -fno-omit-frame-pointer -DFRAME_POINTERS -static -no-pie -o $@ $< -pthread
$(O)/vm/bin/calltree: tests/vm/workloads/calltree.c $(vm_header)
	$(vm_cc) -fomit-frame-pointer -static -no-pie -o $@ $< -pthread
$(O)/vm/bin/gaps-fp: tests/vm/gaps.c
	$(vm_cc) -fno-omit-frame-pointer -static -o $@ $<
$(filter-out $(O)/vm/bin/shares%,$(vm_static)): $(O)/vm/bin/%: tests/vm/workloads/%.c $(vm_header)
	$(vm_cc) -static -no-pie -o $@ $< -pthread

$(eval $(call linked,vm_linked,$(O)/vm/bin/odb-check,tests/vm/odb-check.c,libdb.a))
$(eval $(call linked,vm_linked,$(O)/vm/bin/stacks,tests/vm/stacks.c tests/vm/stacks_names.c,libunwind.a))
$(eval $(call linked,vm_linked,$(O)/vm/bin/fuzz,tests/vm/fuzz.c,libunwind.a))
vm_tools := $(addprefix $(O)/vm/bin/,probe tally perf-hold gaps busy)
$(vm_tools): $(O)/vm/bin/%: tests/vm/%.c oprofilefs/op_abi.h $(vm_header)
	$(vm_cc) -static -o $@ $<
