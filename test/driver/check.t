# check: a folder of cases, a report, and how many of what at the end
--run-- mkdir -p c && cp $ROOT/test/cases/ops/comparisons.* $ROOT/test/cases/ops/buckets.* c && echo no >c/broken.pt2 && ferrite check c --json report --jobs 2; echo status $?; sed 's/"seconds": [0-9.]*/"seconds": N/' report
--out--
FAIL: c/broken.pt2
    error: pt2: cannot read the archive: it is no zip archive, or its end is missing
      at c/broken.pt2
2 passed, 1 failed, 0 unsupported
status 1
[
  {"case": "c/broken.pt2", "verdict": "failed", "seconds": N, "message": "error: pt2: cannot read the archive: it is no zip archive, or its end is missing\n  at c/broken.pt2\n"},
  {"case": "c/buckets.pt2", "verdict": "passed", "seconds": N, "message": ""},
  {"case": "c/comparisons.pt2", "verdict": "passed", "seconds": N, "message": ""}
]
--run-- ferrite check c --jobs 1 | tail -1; ferrite check $ROOT/test/cases/ops/comparisons.pt2 $ROOT/test/cases/ops/buckets.pt2 --metadata; ferrite check $ROOT/test/cases/ops/comparisons.pt2 --json /no/such/report
--out--
2 passed, 1 failed, 0 unsupported
2 passed, 0 failed, 0 unsupported
--err--
ferrite check: cannot write /no/such/report: No such file or directory
--status-- 1
# no number where eager and float64 have one: no case passes with it
--run-- cp $ROOT/test/cases/programs/equal_layers.* . && printf '\000\000\300\177' | dd of=equal_layers.safetensors bs=1 seek=624 conv=notrunc status=none && ferrite check equal_layers.pt2
--out--
FAIL: equal_layers.pt2
    error: check: error against float64 is inf, eager's is 8.61e-07: more than 4 times
      at 0.out.0
0 passed, 1 failed, 0 unsupported
--status-- 1
