# 158350: in a program of two devices each kernel is made for the one that it runs on, and each call stands behind a line that names it
--run-- ferrite inspect two.fx --stage wrap --isa x86-64-v4 | sed 's/\(k_[a-z_]*\)_[0-9a-f]* (/\1 (/' | grep -e '^device' -e '^kernel' -e '^extern' -e '^copy'
--file two.fx--
graph main {
  placeholder %x user "x" : f32[8]
  placeholder %g user "g" : f32[8]:cuda0
  %e = aten.exp.default(%x) : f32[8]
  %f = aten.exp.default(%g) : f32[8]:cuda0
  %c = aten._to_copy.default(%e, device=cuda:0) : f32[8]:cuda0
  %s = aten.add.Tensor(%f, %c) : f32[8]:cuda0
  %z = aten._to_copy.default(%s, device=cpu) : f32[8]
  %n = aten.add.Tensor(%z, %e) : f32[8]
  output (user %s, user %n)
}
--out--
kernel k_exp (@x, @buf2) ints [] m 1 n 8 cost 184
copy @buf2[8]{1} -> @buf3[8]{1}
device cuda 0
kernel k_exp_add (@g, @buf3, @buf4) ints [] m 1 n 8 cost 3320
copy @buf4[8]{1} -> @buf5[8]{1}
device cpu
kernel k_add (@buf5, @buf2, @buf6) ints [] m 1 n 8 cost 70
