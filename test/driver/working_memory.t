# what an operator works in is named where too much is held
--run-- ferrite compile conv.fx --memory-budget 1K -o conv.so 2>&1 | grep -o 'working memory of .*'
--file conv.fx--
graph main {
  placeholder %x user "x" : f32[1,8,4,4]
  placeholder %w user "w" : f32[8,8,3,3]
  %y = aten.conv2d.default(%x, %w, None, [1, 1], [1, 1], [1, 1], 1)
  output (user %y)
}
--out--
working memory of y
--status-- 1
