# what is written in part, or read before it is written, is written where it lies: no memory beside the state (16384 bytes), no copy
--run-- sh each.sh <writes
--file each.sh--
while IFS='|' read -r name body; do
  printf 'graph g {\n  placeholder %%b buffer "b" : f32[64,64]\n  placeholder %%c buffer "c" : f32[64,64]\n' >g.fx
  printf '  placeholder %%k constant "k" : i64[2] data [1, 3]\n  placeholder %%x user "x" : f32[64,64]\n' >>g.fx
  printf '  placeholder %%i user "i" : i64[3]\n  placeholder %%j user "j" : i64[64,3]\n  placeholder %%v user "v" : f32[3,64]\n' >>g.fx
  printf '  placeholder %%t user "t" : f32[64,3]\n  placeholder %%r user "r" : f32[64]\n  placeholder %%m user "m" : bool[64,64]\n' >>g.fx
  echo "$body" | tr ';' '\n' | sed 's/^ */  /' >>g.fx
  grep -q '^  output' g.fx || echo '  output ()' >>g.fx
  echo '}' >>g.fx
  printf '%s: ' "$name"
  ferrite inspect g.fx --from fx --stage wrap | sed -n 's/^wrapper \(arena [0-9]*\).* \(calls [0-9]*\).*/\1 \2/p'
done
--file writes--
index_put|%w = aten.index_put_.default(%b, [%i], %v)
index_put of places|%w = aten.index_put_.default(%b, [None, %i], %t)
index_put accumulates|%w = aten.index_put_.default(%b, [%i], %v, True)
index_put of constants|%s = aten.slice.Tensor(%v, 0, 0, 2); %w = aten.index_put_.default(%b, [%k], %s)
index_add|%w = aten.index_add_.default(%b, 0, %i, %v)
index_copy|%w = aten.index_copy_.default(%b, 0, %i, %v)
index_fill|%w = aten.index_fill_.int_Scalar(%b, 0, %i, 2.0)
index_reduce|%w = aten.index_reduce_.default(%b, 0, %i, %v, "amax")
scatter|%w = aten.scatter_.src(%b, 1, %j, %t)
scatter of a number|%w = aten.scatter_.value(%b, 1, %j, 3.0)
scatter_add|%w = aten.scatter_add_.default(%b, 1, %j, %t)
scatter_reduce|%w = aten.scatter_reduce_.two(%b, 1, %j, %t, "amax")
masked_fill|%w = aten.masked_fill_.Scalar(%b, %m, 2.0)
slice|%s = aten.slice.Tensor(%b, 0, 5, 8); %w = aten.copy_.default(%s, %v)
slice with steps|%s = aten.slice.Tensor(%b, 0, 1, 6, 2); %w = aten.copy_.default(%s, %v)
select|%s = aten.select.int(%b, 1, 7); %w = aten.copy_.default(%s, %r)
select of a slice of a transpose|%p = aten.t.default(%b); %q = aten.slice.Tensor(%p, 0, 5, 9); %s = aten.select.int(%q, 0, 1); %w = aten.copy_.default(%s, %r)
diagonal|%s = aten.diagonal.default(%b); %w = aten.copy_.default(%s, %r)
as_strided|%s = aten.as_strided.default(%b, [3, 64], [128, 1], 64); %w = aten.copy_.default(%s, %v)
split|%p = aten.split.Tensor(%b, 3); %s = _operator.getitem(%p, 4); %w = aten.copy_.default(%s, %v)
two writes|%w = aten.index_put_.default(%b, [%i], %v); %s = aten.select.int(%b, 1, 7); %u = aten.copy_.default(%s, %r)
of its own elements|%w = aten.mul_.Tensor(%b, %x); %u = aten.add_.Tensor(%b, %b)
foreach|%w = aten._foreach_add_.List([%b, %c], [%x, %x])
foreach of parts|%p = aten.split.Tensor(%b, 32); %s = _operator.getitem(%p, 0); %u = _operator.getitem(%p, 1); %w = aten._foreach_mul_.Scalar([%s, %u], 2.0)
an input|%w = aten.index_put_.default(%x, [%i], %v)
read before|%s = aten.select.int(%b, 0, 3); %e = aten.exp.default(%s); %w = aten.index_put_.default(%b, [%i], %v); output (user %e)
the functional form, copied back|%w = aten.index_put.default(%b, [%i], %v); %u = aten.copy_.default(%b, %w)
parts, copied back|%w = aten.slice_scatter.default(%b, %v, 0, 5, 8); %y = aten.select_scatter.default(%w, %r, 1, 7); %z = aten.as_strided_scatter.default(%y, %r, [64], [65], 0); %u = aten.copy_.default(%b, %z)
--out--
index_put: arena 0 calls 1
index_put of places: arena 0 calls 1
index_put accumulates: arena 0 calls 1
index_put of constants: arena 0 calls 1
index_add: arena 0 calls 1
index_copy: arena 0 calls 1
index_fill: arena 0 calls 1
index_reduce: arena 0 calls 1
scatter: arena 0 calls 1
scatter of a number: arena 0 calls 1
scatter_add: arena 0 calls 1
scatter_reduce: arena 0 calls 1
masked_fill: arena 0 calls 1
slice: arena 0 calls 1
slice with steps: arena 0 calls 1
select: arena 0 calls 1
select of a slice of a transpose: arena 0 calls 1
diagonal: arena 0 calls 1
as_strided: arena 0 calls 1
split: arena 0 calls 1
two writes: arena 0 calls 2
of its own elements: arena 0 calls 1
foreach: arena 0 calls 2
foreach of parts: arena 0 calls 1
an input: arena 0 calls 1
read before: arena 16384 calls 4
the functional form, copied back: arena 0 calls 1
parts, copied back: arena 0 calls 2
--run-- sh each.sh <kept
--file kept--
the old value is read behind the write|%w = aten.index_put.default(%b, [%i], %v); %u = aten.flip.default(%b, [0]); %y = aten.mm.default(%u, %w); %z = aten.copy_.default(%b, %w); output (user %y)
a clone of it leaves|%o = aten.clone.default(%b); %w = aten.index_put_.default(%b, [%i], %v); output (user %o)
it reads other elements of its own|%f = aten.flip.default(%b, [0]); %w = aten.copy_.default(%b, %f)
transposed onto itself|%f = aten.t.default(%b); %w = aten.copy_.default(%b, %f)
a part moved over another that overlaps it|%s = aten.slice.Tensor(%b, 0, 0, 32); %d = aten.slice.Tensor(%b, 0, 1, 33); %w = aten.copy_.default(%d, %s)
two states swapped|%o = aten.clone.default(%b); %w = aten.copy_.default(%b, %c); %u = aten.copy_.default(%c, %o)
the base is an input that nobody writes to|%w = aten.index_put.default(%x, [%i], %v); output (user %w)
the new value leaves too|%w = aten.index_put.default(%b, [%i], %v); %u = aten.copy_.default(%b, %w); output (user %w)
the second write reads the old value too|%w = aten.index_put.default(%b, [%i], %v); %y = aten.add.Tensor(%w, %b); %u = aten.copy_.default(%b, %y)
the second write reads other elements of the first|%w = aten.index_put.default(%b, [%i], %v); %f = aten.flip.default(%w, [0]); %y = aten.add.Tensor(%w, %f); %u = aten.copy_.default(%b, %y)
a view of the old value leaves|%n = aten.exp.default(%x); %o = aten.select.int(%n, 0, 1); %w = aten.index_put.default(%n, [%i], %v); %u = aten.copy_.default(%b, %w); output (user %o)
--out--
the old value is read behind the write: arena 16384 calls 4
a clone of it leaves: arena 16384 calls 3
it reads other elements of its own: arena 16384 calls 2
transposed onto itself: arena 16384 calls 2
a part moved over another that overlaps it: arena 16384 calls 2
two states swapped: arena 0 calls 1
the base is an input that nobody writes to: arena 0 calls 2
the new value leaves too: arena 0 calls 3
the second write reads the old value too: arena 16384 calls 3
the second write reads other elements of the first: arena 16384 calls 3
a view of the old value leaves: arena 16384 calls 2
