# shellcheck shell=dash
# seconds: 240
# shortlived-perf - as shortlived, collected without the module

export COLLECTOR=perf
# shellcheck source=tests/vm/cases/shortlived.sh
. /vm/cases/shortlived.sh
