# shellcheck shell=dash
# seconds: 300
# shares-perf - as shares, collected without the module

export COLLECTOR=perf
# shellcheck source=tests/vm/cases/shares.sh
. /vm/cases/shares.sh
