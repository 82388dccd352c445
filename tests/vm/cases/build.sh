# shellcheck shell=dash
# seconds: 10
# build - nothing to run: that the module was built without a warning is the test

ok "the module builds for $VM_KERNEL without a warning"
