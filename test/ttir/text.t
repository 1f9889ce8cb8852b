# a kernel's text is data: it prints, parses back and is verified, and no language of ours reads what its names hold
--run-- awk -f $ROOT/test/ttir/embed.awk k.ttir g.fx >a.fx; ferrite inspect a.fx --stage fx >b.fx; ferrite inspect b.fx --stage fx >c.fx; sed 's/@[0-9]*//g' b.fx >d.fx; sed 's/@[0-9]*//g' c.fx | cmp - d.fx && ferrite inspect b.fx --stage loop && ferrite compile b.fx --emit c -o made/ --quiet && sh $ROOT/test/artifact/sources.sh -O0 made ISAS=base >log && ferrite compile b.fx --emit python -o m.py --quiet && ferrite compile b.fx --emit fx -o m.json --quiet && ferrite inspect b.fx --stage provenance >p.json && ls made/*.so m.py m.json p.json
--file k.ttir--
#loc = loc("we\"ird */ ''' \\ ünï.py":5:0)
module {
  tt.func public @"odd */ name"(%x_ptr: !tt.ptr<f32> loc("x*/\"\"\""(#loc))) {
    %c2 = arith.constant 2.0 : f32 loc(#loc)
    %x = tt.load %x_ptr : !tt.ptr<f32> loc("'\"%s%d"(#loc))
    %y = arith.mulf %x, %c2 : f32 loc(#loc)
    tt.store %x_ptr, %y : !tt.ptr<f32> loc(#loc)
    tt.return loc(#loc)
  } loc(#loc)
} loc(#loc)
--file g.fx--
graph g {
  placeholder %x user "x" : f32[3]
  %k = ferrite.triton_kernel.default([%x], KERNEL, [1], [], [], [0])
  %o = _operator.getitem(%k, 0)
  output (user %o)
}
--out--
program b
input  @x : f32[3] strides [1] origin 0
temp   @buf1 : f32[3] strides [1] origin 1
nest [i0 < 3] origin 1 {
  %0 = load f32 @x[i0]
  @buf1[i0] = %0
}
nest [] origin 1 {
  %0 = load f32 @x[0]
  %1 = const 2.0 : f32
  %2 = mul %0, %1 : f32
  @buf1[0] = %2
}
output @buf1[3]{1}
m.json
m.py
made/b.so
p.json
