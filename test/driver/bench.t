# what a program costs: a table, or one JSON object; inputs are given ones, recorded ones, or random ones
--run-- ferrite bench $ROOT/demo/digits.pt2 --seconds 0.01 --threads 2 | sed 's/[0-9][0-9.]*/N/g; s/  */ /g'
--out--
compile, cold N ms (C compiler N)
compile, warm N ms
load N ms
first call N us (recorded inputs)

threads calls median us min us
 N N N N
 N N N N

arena N bytes (lower bound N)
artifact N bytes (weights N)
kernels N calls (N distinct)
--run-- ferrite bench $ROOT/demo/digits.pt2 --seconds 0.01 --threads 3 --json | sed 's/[0-9][0-9.]*/N/g'
--out--
{"compile_ms": {"cold": {"read": N, "infer": N, "pass": N, "lower": N, "sched": N, "kern": N, "wrap": N, "emit": N, "cc": N, "weights": N, "total": N}, "warm": {"read": N, "infer": N, "pass": N, "lower": N, "sched": N, "kern": N, "wrap": N, "emit": N, "cc": N, "weights": N, "total": N}}, "load_ms": N, "inputs": "recorded", "call_us": {"first": N, "threads": [{"threads": N, "calls": N, "median": N, "min": N}, {"threads": N, "calls": N, "median": N, "min": N}, {"threads": N, "calls": N, "median": N, "min": N}]}, "arena_bytes": N, "arena_lower_bound": N, "weights_bytes": N, "artifact_bytes": N, "kernels": N, "unique_kernels": N}
--run-- mkdir temporary && export TMPDIR=$PWD/temporary && for inputs in "" "--inputs $ROOT/test/cases/ops/buckets.safetensors"; do ferrite bench $ROOT/test/cases/ops/buckets.pt2 $inputs --seconds 0.01 --threads 1 | grep -o '(.*inputs)'; done; ferrite bench $ROOT/demo/digits.pt2 --inputs none.safetensors; ls temporary
--out--
(random inputs)
(given inputs)
--err--
error: file: cannot open none.safetensors: No such file or directory
