# run: one JSON object of times and sizes; outputs are those of the first call, however many are timed
--run-- ferrite run $ROOT/demo/digits.pt2 --threads 1 --repeat 2 --json | sed 's/[0-9][0-9.]*/N/g'
--out--
{"compile_ms": {"read": N, "infer": N, "pass": N, "lower": N, "sched": N, "kern": N, "wrap": N, "emit": N, "cc": N, "weights": N, "total": N}, "call_us": {"median": N, "min": N, "first": N}, "arena_bytes": N, "arena_lower_bound": N, "weights_bytes": N, "artifact_bytes": N, "kernels": N, "unique_kernels": N}
--run-- ferrite run $ROOT/test/cases/programs/input_mutation.pt2 --outputs once.safetensors >log && ferrite run $ROOT/test/cases/programs/input_mutation.pt2 --repeat 5 --outputs often.safetensors --output-dir out >log && cmp once.safetensors often.safetensors && ls out
--out--
0.npy
1.npy
2.npy
--run-- ferrite run $ROOT/test/cases/programs/dynamic_mlp.pt2 --cache '' | sed 's/[0-9][0-9.]*/N/g'
--out--
compiled in N ms: read N infer N pass N lower N sched N kern N wrap N emit N cc N weights N
kernels: N calls, N distinct
arena: by the sizes of the inputs
weights: N bytes
artifact: N bytes
call: N us (median of N), N us at best, N us the first
--run-- ferrite run $ROOT/demo/digits.pt2 --input a.npy --input b.npy; ferrite run $ROOT/demo/digits.pt2 --inputs a.safetensors; ferrite run $ROOT/demo/digits.pt2 --inputs a.safetensors --input b.npy; ferrite run $ROOT/test/cases/ops/buckets.pt2
--err--
error: run: 2 --input files given, the program takes 1
error: file: cannot open a.safetensors: No such file or directory
error: run: inputs come from --inputs or from --input, not from both
error: run: the program takes 2 inputs and the archive records no sample of them
  help: give them with --inputs or --input
--status-- 1
--run-- ferrite run $ROOT/demo/digits.pt2 --dump-after all --json 2>&1 >out.json | grep '^#'
--out--
# after inline
# after vmap
# after foreach
# after custom_calls
# after functionalise
# after decompose
# after facts
# after noop
# after simplify
# after quantised
# after integers
# after transposed_convolutions
# after fold_constants
# after fold_batch_norm
# after merge_convolutions
# after transposed_products
# after attention
# after products
# after quantise
# after cse
# after merge_products
# after nest_cat
# after dce
