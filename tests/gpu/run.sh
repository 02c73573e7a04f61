#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Everything that needs the exact device (an H100 or H200, sm_90a), in one command.
#
#   tests/gpu/run.sh [FOLDER]     receipts and logs go to FOLDER (tests/gpu/receipts if left out)
#
# Needs build/bin/bakery (or $BAKERY), the driver, NVRTC and CUPTI; PyTorch for the peer and
# compute-sanitizer for the last part: what is missing is said, not passed.
set -u
cd "$(dirname "$0")/../.." || exit 1
bakery=$(realpath "${BAKERY:-build/bin/bakery}")
out=${1:-tests/gpu/receipts}
mkdir -p "$out"
out=$(realpath "$out")
export BAKERY_HOME=${BAKERY_HOME:-$(mktemp -d)}
gemm=resources/schedules/gemm_bf16_sm90a.cake
failed=0
say() { printf '\n== %s\n' "$*"; }
expect() {  # expect CODE WHAT COMMAND...
  local want=$1 what=$2
  shift 2
  "$@"
  local got=$?
  if [ "$got" -eq "$want" ]; then echo "pass: $what"; else echo "FAIL: $what (exit $got, expected $want)"; failed=1; fi
}

say "this machine"
"$bakery" doctor

say "every output of the GEMM against a reference, three distributions"
: > "$out/gemm_correct.jsonl"
for distribution in normal uniform integers; do
  for contract in tails 4096 8192 deep; do
    expect 0 "$contract, $distribution" "$bakery" run "$gemm" --contract "resources/contracts/gemm_bf16_$contract.toml" \
      --distribution "$distribution" --receipt "$out/one.jsonl"
    [ -f "$out/one.jsonl" ] && sed "s/^{/{\"distribution\":\"$distribution\",/" "$out/one.jsonl" >> "$out/gemm_correct.jsonl"
    rm -f "$out/one.jsonl"
  done
done

say "beside cuBLAS"
expect 0 "suite gemm" "$bakery" bench resources/suites/gemm.toml --receipt "$out/gemm_bench.jsonl"

say "hangs: a deleted arrive or wait, run unchecked, is told as the static finding foretold"
: > "$out/hangs.jsonl"
mutants=$(mktemp -d)
python3 - "$gemm" "$mutants" <<'PY'
import re, sys
lines = open(sys.argv[1]).read().split("\n")
def write(name, out): open(f"{sys.argv[2]}/{name}.cake", "w").write("\n".join(out))
def without(pattern, name):
    hits = [i for i, l in enumerate(lines) if re.search(pattern, l)]
    write(name, lines[:hits[0]] + lines[hits[0] + 1:])
without(r"lm\.arrive\(empty, stage=pipe\.previous", "arrive_in_loop")
without(r"lm\.arrive\(empty, stage=pipe\.current", "arrive_after_loop")
def changed(a, b, name):
    text = "\n".join(lines)
    assert a in text, a
    open(f"{sys.argv[2]}/{name}.cake", "w").write(text.replace(a, b, 1))
changed("when=(k > 0)", "when=(k > 1)", "arrive_skipped_once")
changed("init_count=1", "init_count=2", "full_count_high")
changed("init_count=2", "init_count=3", "empty_count_high")
changed("lm.wait(full, stage=s)", "lm.wait(full, stage=s)\n                lm.wait(full, stage=s)", "wait_twice")
PY
for mutant in arrive_in_loop arrive_after_loop arrive_skipped_once full_count_high empty_count_high wait_twice; do
  timeout 60 "$bakery" run "$mutants/$mutant.cake" --contract resources/contracts/gemm_bf16_4096.toml --unchecked --json > "$mutants/$mutant.json"
  code=$?
  python3 - "$mutants/$mutant.json" "$mutant" "$code" >> "$out/hangs.jsonl" <<'PY' || failed=1
import json, sys
d = json.load(open(sys.argv[1]))
found = [f for f in d.get("findings", []) if f["id"] == "NUM-003"]
row = {"kind": "hang", "case": sys.argv[2], "exit": int(sys.argv[3]),
       "stuck": [{k: f[k] for k in ("role", "resource", "stage", "completion", "iteration", "line", "message")} for f in found],
       "foretold": [f["expected"][:200] for f in found]}
print(json.dumps(row))
sys.exit(0 if found and all(f["role"] and f["resource"] and f["iteration"] for f in found) and any(f["expected"] for f in found) else 1)
PY
  tail -1 "$out/hangs.jsonl" | cut -c1-400
done
rm -rf "$mutants"

say "compute-sanitizer on the ragged shapes"
if command -v compute-sanitizer > /dev/null; then
  : > "$out/sanitizer.jsonl"
  for tool in memcheck synccheck; do
    compute-sanitizer --target-processes all --tool "$tool" --error-exitcode 9 "$bakery" run "$gemm" \
      --contract resources/contracts/gemm_bf16_tails.toml > "$out/sanitizer_$tool.txt" 2>&1
    code=$?
    tail -3 "$out/sanitizer_$tool.txt"  # what it said, should it have failed
    printf '{"kind":"sanitizer","tool":"%s","case":"gemm_bf16_tails","summary":"%s"}\n' "$tool" "$(grep -h 'ERROR SUMMARY' "$out/sanitizer_$tool.txt" | sed 's/=* *//')" >> "$out/sanitizer.jsonl"
    rm -f "$out/sanitizer_$tool.txt"
    if [ "$code" -eq 0 ]; then echo "pass: $tool"; else echo "FAIL: $tool (exit $code)"; failed=1; fi
  done
else
  echo "not run: compute-sanitizer is not installed"
fi

say "probes of the hardware facts"
if python3 -c 'import torch' 2> /dev/null; then
  expect 0 "probes" python3 tests/gpu/probes.py "$out/probes.jsonl"
else
  echo "not run: the probes need PyTorch"
fi

[ "$failed" -eq 0 ] && echo "all that ran has passed"
exit "$failed"
