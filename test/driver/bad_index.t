# an index out of range ends the call with the op, the index, the dimension and its size; the next call
# works; negative ones count from the end where PyTorch takes them
--run-- ferrite compile m.fx -o m.so --quiet && ${FERRITE_TEST_CC:-cc} -I$ROOT/include $ROOT/test/artifact/bad_index.c -o t -ldl && ./t ./m.so 1 >one && ./t ./m.so 2 >two && cmp one two && cat one
--file m.fx--
symbols {
  s0 in [1, 100000] hint 4099
}
graph main {
  placeholder %t user "t" : f32[5,4]
  placeholder %x user "x" : f32[s0,4]
  placeholder %a user "a" : i64[s0]
  placeholder %b user "b" : i64[s0]
  placeholder %c user "c" : i64[s0]
  placeholder %d user "d" : i64[s0]
  placeholder %e user "e" : i64[s0]
  placeholder %f user "f" : i64[s0]
  placeholder %g user "g" : i64[s0]
  placeholder %h user "h" : i64[s0]
  placeholder %i user "i" : i64[s0]
  placeholder %j user "j" : i64[s0]
  %embedding = aten.embedding.default(%t, %a) : f32[s0,4]
  %index = aten.index.Tensor(%t, [%b]) : f32[s0,4]
  %index_select = aten.index_select.default(%t, 0, %c) : f32[s0,4]
  %column = aten.unsqueeze.default(%d, 1) : i64[s0,1]
  %gather = aten.gather.default(%t, 0, %column) : f32[s0,1]
  %row = aten.unsqueeze.default(%e, 0) : i64[1,s0]
  %across = aten.gather.default(%t, 1, %row) : f32[1,s0]
  %index_add = aten.index_add.default(%t, 0, %f, %x) : f32[5,4]
  %put = aten.index_put.default(%t, [%g], %x, True) : f32[5,4]
  %take = aten.take.default(%t, %h) : f32[s0]
  %log = aten._log_softmax.default(%x, 1, False) : f32[s0,4]
  %loss = aten.nll_loss_forward.default(%log, %i, None, 1, -100) : (f32[], f32[])
  %mean = _operator.getitem(%loss, 0) : f32[]
  %many = aten.unsqueeze.default(%j, 1) : i64[s0,1]
  %scatter = aten.scatter_add.default(%t, 0, %many, %x) : f32[5,4]
  output (user %embedding, user %index, user %index_select, user %gather, user %across, user %index_add, user %put, user %take, user %mean, user %scatter)
}
--out--
20: aten.embedding.default (%embedding): index 20 is out of bounds for dimension 0 with size 5
-9223372036854775808: aten.embedding.default (%embedding): index -9223372036854775808 is out of bounds for dimension 0 with size 5
-1: aten.embedding.default (%embedding): index -1 is out of bounds for dimension 0 with size 5
20: aten.index.Tensor (%index): index 20 is out of bounds for dimension 0 with size 5
-9223372036854775808: aten.index.Tensor (%index): index -9223372036854775808 is out of bounds for dimension 0 with size 5
-1: taken
20: aten.index_select.default (%index_select): index 20 is out of bounds for dimension 0 with size 5
-9223372036854775808: aten.index_select.default (%index_select): index -9223372036854775808 is out of bounds for dimension 0 with size 5
-1: aten.index_select.default (%index_select): index -1 is out of bounds for dimension 0 with size 5
20: aten.gather.default (%gather): index 20 is out of bounds for dimension 0 with size 5
-9223372036854775808: aten.gather.default (%gather): index -9223372036854775808 is out of bounds for dimension 0 with size 5
-1: aten.gather.default (%gather): index -1 is out of bounds for dimension 0 with size 5
20: aten.gather.default (%across): index 20 is out of bounds for dimension 1 with size 4
-9223372036854775808: aten.gather.default (%across): index -9223372036854775808 is out of bounds for dimension 1 with size 4
-1: aten.gather.default (%across): index -1 is out of bounds for dimension 1 with size 4
20: aten.index_add.default (%index_add): index 20 is out of bounds for dimension 0 with size 5
-9223372036854775808: aten.index_add.default (%index_add): index -9223372036854775808 is out of bounds for dimension 0 with size 5
-1: aten.index_add.default (%index_add): index -1 is out of bounds for dimension 0 with size 5
20: aten.index_put.default (%put): index 20 is out of bounds for dimension 0 with size 5
-9223372036854775808: aten.index_put.default (%put): index -9223372036854775808 is out of bounds for dimension 0 with size 5
-1: taken
20: aten.take.default (%take): index 20 is out of bounds for dimension 0 with size 20
-9223372036854775808: aten.take.default (%take): index -9223372036854775808 is out of bounds for dimension 0 with size 20
-1: taken
20: aten.nll_loss_forward.default (%loss): index 20 is out of bounds for dimension 1 with size 4
-9223372036854775808: aten.nll_loss_forward.default (%loss): index -9223372036854775808 is out of bounds for dimension 1 with size 4
-1: aten.nll_loss_forward.default (%loss): index -1 is out of bounds for dimension 1 with size 4
20: aten.scatter_add.default (%scatter): index 20 is out of bounds for dimension 0 with size 5
-9223372036854775808: aten.scatter_add.default (%scatter): index -9223372036854775808 is out of bounds for dimension 0 with size 5
-1: aten.scatter_add.default (%scatter): index -1 is out of bounds for dimension 0 with size 5
