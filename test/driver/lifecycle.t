# lifecycle-check raises no alarm: mutations, reuse, parts, regions, sizes that values decide, arenas for the largest sizes, a budget; beside nan-check; interpreted too
--once--
--run-- for o in '' --no-cc --max-arena '--memory-budget 1G --nan-check'; do ferrite check --lifecycle-check $o $ROOT/test/cases/programs | grep -c lifecycle; done; ferrite run $ROOT/demo/digits.pt2 --lifecycle-check --nan-check --repeat 3 | grep -c call
--out--
0
0
0
0
2
