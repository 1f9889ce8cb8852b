# 157605: an index that the run computes selects from the end where it is below 0; it is held against the size, and the view
# is no copy; a slice goes by such numbers too
--run-- ferrite inspect pick.fx --stage wrap --isa x86-64-v4 | sed -n '/^symbol/,$p' | grep -v '^note' | sed 's/\(k_[a-z_]*\)_[0-9a-f]* (/\1 (/' && ferrite compile pick.fx -o m.so --quiet && ${FERRITE_TEST_CC:-cc} -I$ROOT/include $ROOT/test/artifact/call.c -o call -ldl && ./call ./m.so <script >first && cat first && ferrite compile pick.fx --split nodes=1 -o m.so --quiet && ./call ./m.so <script | cmp - first
--file pick.fx--
graph main {
  placeholder %x user "x" : f32[2,4]
  placeholder %i user "i" : i64[]
  %n = aten.item.default(%i) : int u0
  %row = aten.select.int(%x, 1, %n) : f32[2]
  %next = aten.add.Tensor(%row, 1) : f32[2]
  output (user %row, user %next)
}
--file script--
in 0 f32 [2,4] = 0 1 2 3 4 5 6 7
in 1 i64 [] = 1
run
show out 0
show out 1
in 1 i64 [] = -1
run
show out 0
show out 1
in 1 i64 [] = -4
run
show out 1
in 1 i64 [] = 4
run
in 1 i64 [] = -5
run
--out--
symbol u0 = @i[]{}
assert -4 <= u0 "an index is out of range: -4 <= u0 (row)"
assert u0 < 4 "an index is out of range: u0 < 4 (row)"
kernel k_add (@x, @buf2) ints [u0 - 4*max(min(u0, 0), -1)] m 1 n 2 cost 538
output 0 @x[2]{4} + u0 - 4*max(min(u0, 0), -1)
output 1 @buf2[2]{1}
out 0 [2]{4}: 1.000 5.000
out 1 [2]{1}: 2.000 6.000
out 0 [2]{4}: 3.000 7.000
out 1 [2]{1}: 4.000 8.000
out 1 [2]{1}: 1.000 5.000
failed 4: an index is out of range: u0 < 4 (row): u0 = 4
failed 4: an index is out of range: -4 <= u0 (row): u0 = -5
--run-- ferrite check $ROOT/test/cases/programs/parts_of_given_lengths.pt2 $ROOT/test/cases/programs/numbers_from_tensors.pt2 --target process
--out--
2 passed, 0 failed, 0 unsupported
