# each step of a loop draws numbers of its own, and the same ones whatever the number of threads
--run-- ferrite run draws.fx --from fx --threads 1 --output-dir one >/dev/null && ferrite run draws.fx --from fx --threads 3 --output-dir three >/dev/null && cmp one/0.npy three/0.npy && tail -c 16384 one/0.npy | od -An -v -w8 -tx8 | sort | uniq -d | wc -l
--file draws.fx--
graph draws {
  %x = aten.zeros.default([4, 8, 64], torch.float64, None, None, None)
  %map = higher_order.map_impl(@matrix, [%x], [])
  %y = _operator.getitem(%map, 0)
  output (user %y)
}
graph matrix {
  placeholder %x user ""
  %map = higher_order.map_impl(@row, [%x], [])
  %y = _operator.getitem(%map, 0)
  output (user %y)
}
graph row {
  placeholder %x user ""
  %r = aten.rand_like.default(%x)
  output (user %r)
}
--out--
0
