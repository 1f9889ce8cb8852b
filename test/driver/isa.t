# FERRITE_ISA decides what is generated and what the runtime runs; an artifact's runtime goes no higher than its kernels, and
# names that are none are refused where they are met
--run-- p=$ROOT/test/cases/programs/inverted_residual.pt2; unset FERRITE_ISA; ferrite run $p --isa baseline --output-dir a >log && FERRITE_ISA=baseline ferrite run $p --output-dir b >log && FERRITE_ISA=baseline ferrite run $p --isa baseline --output-dir c >log && cmp a/0.npy b/0.npy && cmp a/0.npy c/0.npy && echo one and the same; FERRITE_ISA=baseline ferrite inspect $p --stage c | grep 'isa = ' | sed -n 1p; FERRITE_ISA=baseline ferrite inspect $p --isa scalar --stage c | grep 'isa = ' | sed -n 1p
--out--
one and the same
    .isa = "baseline",
    .isa = "scalar",
--run-- ferrite compile $ROOT/demo/digits.pt2 -o digits.so --quiet --isa baseline; ${FERRITE_TEST_CC:-cc} -I$ROOT/include $ROOT/test/artifact/both.c -o both -ldl; FERRITE_ISA=native ./both ./digits.so | sed 's/:.*//'; FERRITE_ISA=fast ./both ./digits.so; FERRITE_ISA=fast ferrite run $ROOT/demo/digits.pt2
--out--
digits
digits: FERRITE_ISA is fast, which is none of native, x86-64-v4, x86-64-v3, baseline
cannot run it
--err--
error: option: the environment's FERRITE_ISA is 'fast', which is none of native x86-64-v4 x86-64-v3 baseline scalar
--status-- 1
