# a row of ops.def that leaves out what becomes of the operator, or what it gives, does not build; a whole one does
--run-- mkdir op; for row in 'INFER(same, 0)' 'CODE(SINH)' 'INFER(pointwise, DTYPE_FLOAT) CODE(SINH)' 'LACKS(LOWERING)'; do awk -v row="OP(aten_new_default, \"aten::new(Tensor self) -> Tensor\", $row)" '/^OP/ && !done {print row; done = 1} {print}' $ROOT/src/op/ops.def >op/ops.def; echo "== $row"; for stage in infer lower; do ${FERRITE_TEST_CC:-cc} -std=gnu11 -fsyntax-only -I. -I$ROOT/src -I$ROOT/include $ROOT/src/$stage/$stage.c 2>&1 | grep -o 'aten_new_default: one of [A-Z, ]*' | sort -u; done; done
--out--
== INFER(same, 0)
aten_new_default: one of DECOMPOSE, LOWER, VIEW, CODE, FORMULA, NUMBER, BY, LACKS
== CODE(SINH)
aten_new_default: one of INFER, BY, LACKS
== INFER(pointwise, DTYPE_FLOAT) CODE(SINH)
== LACKS(LOWERING)
--status-- 1
