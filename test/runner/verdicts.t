# the runner of these tests: what passes, what fails and how it says so
--run-- printf '# a\n--run-- cat\n--in--\nx\n--out--\nx\n\n\n--run-- exit 3\n--status-- 3\n' >a.t; $ROOT/build/runtest --binary /bin/sh a.t
--out--
1 passed, 0 failed, 0 skipped

--run-- printf '# b\n--run-- cat\n--in--\n1\n2\n3\n--out--\n1\n4\n3\n' >b.t; $ROOT/build/runtest --binary /bin/sh b.t
--out--
FAIL b.t
  standard output differs from line 2 on (- expected, + got)
    - 4
    + 2
  by: cat
0 passed, 1 failed, 0 skipped
--status-- 1

--run-- printf '# c\n--run-- kill -SEGV $$\n--status-- 139\n' >c.t; $ROOT/build/runtest --binary /bin/sh c.t
--out--
FAIL c.t
  Segmentation fault
  by: kill -SEGV $$
0 passed, 1 failed, 0 skipped
--status-- 1

--run-- printf '# d\n--run-- echo "x: runtime"" error: y" >&2\n--outt--\n' >d.t; $ROOT/build/runtest --binary /bin/sh d.t | sed 's/e error/e ERROR/'
--out--
FAIL d.t
  unknown section: --outt--
  a sanitizer reports
  standard error was
    | x: runtime ERROR: y
  by: echo "x: runtime"" error: y" >&2
0 passed, 1 failed, 0 skipped

--status-- 1
--run-- printf '# e\n--skip-if-missing-- nothing\n--run-- false\n' >e.t; $ROOT/build/runtest --binary /bin/sh e.t
--out--
0 passed, 0 failed, 1 skipped

--run-- printf '# f\n--run-- cat f.txt\n--file f.txt--\nnew\n--out--\nold\n\n--run-- false\n' >f.t; $ROOT/build/runtest --bless --binary /bin/sh f.t; sed 's/^/| /; s/ *$//' f.t
--out--
blessed f.t
1 passed, 0 failed, 0 skipped
| # f
| --run-- cat f.txt
| --file f.txt--
| new
| --out--
| new
|
| --run-- false
| --status-- 1

--run-- printf '# g\n--run-- echo "error: no" >&2 | cat\n' >g.t; $ROOT/build/runtest --binary /bin/sh g.t
--out--
FAIL g.t
  it prints an error and nothing else
  standard error was
    | error: no
  by: echo "error: no" >&2 | cat
0 passed, 1 failed, 0 skipped
--status-- 1

--run-- printf '# h\n--run-- sleep 0.2\n' >h.t; printf '# i\n--run-- true\n' >i.t; $ROOT/build/runtest --slowest 1 -j 1 --binary /bin/sh i.t h.t | sed 's/0\.[2-9]/0.N/'
--out--
slowest:
    0.N s  h.t
2 passed, 0 failed, 0 skipped
