# lanes that mostly lie in one way, and where the last one tells: up, down, or all at one element; short ones do not
--run-- ferrite inspect --from loop --stage kern --isa x86-64-v3 - | grep load
--in--
program runs
input  @x : f32[8,100] strides [100,1]
temp   @roll : f32[8,100] strides [100,1]
temp   @flip : f32[8,100] strides [100,1]
temp   @near : f32[8,200] strides [200,1]
temp   @each : f32[8,100] strides [100,1]
temp   @tiny : f32[8,100] strides [100,1]
nest [i0 < 8, i1 < 100] {
  %0 = load f32 @x[100*i0 + (i1 + 95) % 100]
  @roll[100*i0 + i1] = %0
}
nest [i0 < 8, i1 < 100] {
  %0 = load f32 @x[100*i0 - i1 + 99]
  @flip[100*i0 + i1] = %0
}
nest [i0 < 8, i1 < 200] {
  %0 = load f32 @x[100*i0 + min(max(i1 - 50, 0), 99)]
  @near[200*i0 + i1] = %0
}
nest [i0 < 8, i1 < 100] {
  %0 = load f32 @x[100*i0 + i1 // 20]
  @each[100*i0 + i1] = %0
}
nest [i0 < 8, i1 < 100] {
  %0 = load f32 @x[100*i0 + i1 % 5]
  @tiny[100*i0 + i1] = %0
}
output @roll[8,100]{100,1}
output @flip[8,100]{100,1}
output @near[8,200]{200,1}
output @each[8,100]{100,1}
output @tiny[8,100]{100,1}
--out--
      v1 : f32x8 = load runs b0[p0*i0 + (p1 + i1) % 100]
      v1 : f32x8 = load runs b0[p0*i0 + p1 - i1]
      v1 : f32x8 = load runs b0[p0*i0 + min(p2, max(p1 + i1, 0))]
      v1 : f32x8 = load runs b0[p0*i0 + i1 // 20]
      v1 : f32x8 = load lanes b0[p0*i0 + i1 % 5]
--file runs.kern--
kernel k_runs group 0 lanes 8 ints [100]
  buffer b0 : f32 in @x
  buffer b1 : f32 out @y
  rows (i0) {
    vector i1 in columns {
      v1 : f32x8 = load runs b0[p0*i0 + i1 % 50]
      v2 : f32x8 = load runs b0[p0*i0 + 3 - i1]
      v3 : f32x8 = add v1, v2
      store b1[p0*i0 + i1] : f32x8 = v3
    }
  }
--run-- ferrite inspect runs.kern --from kern --stage c --isa x86-64-v4 | grep -n "if (d" 
--out--
81:          if (d == v4 - 1) v1 = load_f32x8(b0 + s, v4);
92:          if (d == 1 - v4) v2 = loaddown_f32x8(b0 + s, v4);
--run-- sed 's/i1 % 50/2*i1/' runs.kern | ferrite inspect - --from kern --stage kern
--err--
error: kern: law K3: nothing says when the lanes are neighbours
  at kernel k_runs group 0: v1 : f32x8 = load runs b0[p0*i0 + 2*i1]
  help: this is a fault of ferrite's own: please report it with the program
--status-- 1
--run-- ferrite inspect runs.kern --from kern --stage legal --isa x86-64-v4 | tee runs.legal | grep "load runs"
--out--
      v1 : f32x8 = load runs up b0[p0*i0 + i1 % 50] first v4
      v2 : f32x8 = load runs down b0[p0*i0 - i1 + 3] first v4
--run-- ferrite inspect runs.legal --from kern --stage legal --isa x86-64-v4 | cmp - runs.legal
--out--
--run-- sed 's/runs down/runs up down/' runs.legal | ferrite inspect - --from kern --stage legal --isa x86-64-v4
--err--
error: kern: law K3: two lanes do not tell that all lie so
  at kernel k_runs group 0: v2 : f32x8 = load runs up down b0[p0*i0 - i1 + 3] first v4
  help: this is a fault of ferrite's own: please report it with the program
--status-- 1
