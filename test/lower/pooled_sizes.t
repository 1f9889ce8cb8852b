# windows over sizes that only the run knows: what a quotient takes away is no more than what it is of
--run-- for n in 'avg_pool2d.default(%x, [2, 2])' 'avg_pool3d.default(%x, [2, 2, 2])' 'max_pool3d.default(%x, [2, 2, 2])' 'max_pool3d.default(%x, [3, 3, 3], [3, 3, 3], [1, 1, 1])' 'avg_pool2d.default(%x, [4, 4], [3, 3])'; do sed "s/POOLED/$n/" pooled.fx | ferrite inspect - --stage loop --verify | grep -c '^nest'; done
--file pooled.fx--
symbols { s0 in [2, inf] hint 5 s1 in [2, inf] hint 5 s2 in [2, inf] hint 5 s3 in [2, inf] hint 5 }
graph main {
  placeholder %x user "x" : f32[s0,s1,s2,s3]
  %y = aten.POOLED
  output (user %y)
}
--out--
2
3
3
3
2
