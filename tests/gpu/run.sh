#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# All tests that need the GPU, from a build folder made here or brought along: tests/gpu/run.sh [BUILD]
# Ends with 0 if every one passed; what was skipped says why.
cd "$(dirname "$0")/../.." || exit 2
build=${1:-build}
[ -d "$build/tests" ] || { echo "no $build/tests: build first, or name the build folder" >&2; exit 2; }
failed=0
for test in "$build"/tests/gpu_*_test; do
  echo "== $test"
  "$test" || failed=1
done
exit $failed
