#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Records worker sessions on a machine with an H100 or H200, for tests that replay them without one.
#
#   tests/gpu/record.sh [FOLDER]     writes FOLDER/recorded_*.jsonl (tests/fixtures/sessions if left out)
#
# Needs build/bin/bakery (or $BAKERY), the driver, NVRTC and CUPTI. What a test never reads is cut: the
# CUDA of requests, the binary and the PTX of kernels that compiled.
set -u
cd "$(dirname "$0")/../.." || exit 1
bakery=$(realpath "${BAKERY:-build/bin/bakery}")
out=${1:-tests/fixtures/sessions}
mkdir -p "$out"
export BAKERY_HOME=${BAKERY_HOME:-$(mktemp -d)}
gemm=resources/schedules/gemm_bf16_sm90a.cake
small=resources/contracts/gemm_bf16_small.toml
variants=$(mktemp -d)
failed=0
trap 'rm -rf "$variants"' EXIT

python3 - "$gemm" "$variants" <<'PY'
import re, sys
text = open(sys.argv[1]).read()
def write(name, changed):
    assert changed != text, name
    open(f"{sys.argv[2]}/{name}.cake", "w").write(changed)
write("mismatch", text.replace("init=(k == 0)", "init=(k >= 0)", 1))
write("hang_arrive", re.sub(r"\n[^\n]*lm\.arrive\(empty, stage=pipe\.previous[^\n]*", "", text, count=1))
write("hang_count", text.replace("init_count=1", "init_count=2", 1))
PY

record() {  # record NAME EXPECTED-EXIT SCHEDULE ARGUMENTS...
  local name=$1 want=$2 schedule=$3
  shift 3
  local file="$out/recorded_$name.jsonl"
  "$bakery" run "$schedule" --contract "$small" --record "$file" "$@"
  local got=$?
  if [ "$got" -ne "$want" ]; then echo "FAIL: $name (exit $got, expected $want)"; rm -f "$file"; failed=1; return; fi
  python3 - "$file" <<'PY' || failed=1
import base64, json, os, sys
lines = []
for line in open(sys.argv[1]):
    entry = json.loads(line)
    request = entry.get("request", {})
    if "cuda" in request: request["cuda"] = f"{len(request['cuda'])} bytes"
    for step in entry.get("steps", []):
        answer = step.get("send", {})
        if entry.get("on") == "compile" and answer.get("ok") and "bytes" in step:
            kept = base64.b64decode(step["bytes"])[:min(4, answer["cubin_bytes"])]
            answer["cubin_bytes"] = len(kept)
            step["bytes"] = base64.b64encode(kept).decode()
    lines.append(json.dumps(entry, separators=(",", ":"), ensure_ascii=False))
open(sys.argv[1], "w").write("\n".join(lines) + "\n")
size = os.path.getsize(sys.argv[1])
print(f"{sys.argv[1]}: {size} bytes")
sys.exit(size > 200000)
PY
}

record correct 0 "$gemm" --shape 1
record timed 0 "$gemm" --shape 1 --time
record mismatch 1 "$variants/mismatch.cake" --shape 5 --unchecked
record hang_arrive 1 "$variants/hang_arrive.cake" --shape 7 --unchecked
record hang_count 1 "$variants/hang_count.cake" --shape 1 --unchecked
exit "$failed"
