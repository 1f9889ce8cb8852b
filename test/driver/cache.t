# a library in the cache is used as it was made, or made again: cut short, empty, of another program, changed, no library; so
# is the runtime that it is linked with; and many may make it at once
--once--
--run-- cat >bad.sh; p=$ROOT/test/cases/programs/dynamic_mlp.pt2; ferrite check $p --cache c | tail -1; cp c/*.so good; ferrite check $ROOT/test/cases/ops/buckets.pt2 --cache other | tail -1; at=$(echo c/*.so); sh bad.sh | while read -r spoil; do eval "$spoil" && ! cmp -s good $at && ferrite check $p --cache c >log && cmp good $at && echo "made again: $spoil"; done; truncate -s 99 c/rt-*/rt.a; rm $at; ferrite check $p --cache c | tail -1
--in--
echo 'truncate -s 5000 $at'
echo 'truncate -s -1 $at'
echo ': >$at'
echo 'cp other/*.so $at'
echo 'cp /bin/true $at'
echo 'echo x | dd of=$at bs=1 seek=9000 conv=notrunc status=none'
--out--
1 passed, 0 failed, 0 unsupported
1 passed, 0 failed, 0 unsupported
made again: truncate -s 5000 $at
made again: truncate -s -1 $at
made again: : >$at
made again: cp other/*.so $at
made again: cp /bin/true $at
made again: echo x | dd of=$at bs=1 seek=9000 conv=notrunc status=none
1 passed, 0 failed, 0 unsupported
--run-- for i in 1 2 3 4; do ferrite compile $ROOT/demo/digits.pt2 -o $i.so --cache fresh --quiet & done; wait; for i in 2 3 4; do cmp 1.so $i.so && echo same; done; ls fresh | sed 's/.*\.\(so\|o\)$/\1/; s/rt-.*/rt/' | sort
--out--
same
same
same
o
o
rt
so
--run-- cc="ferrite compile -o o.so --quiet --cache c2"; $cc $ROOT/demo/digits.pt2; cp c2/*.so first.so; $cc $ROOT/test/cases/programs/dynamic_mlp.pt2; ls c2/*.so | wc -l; touch -d 2001-01-01 c2/*.so; $cc $ROOT/demo/digits.pt2; touch c2/notes.so; FERRITE_CACHE_SIZE=$(($(find c2 -type f | xargs cat | wc -c) + 50000)) $cc $ROOT/test/cases/ops/buckets.pt2; ls c2/*.so | wc -l; for f in c2/*.so; do cmp -s first.so $f && echo kept; done; true
--out--
2
3
kept
--run-- mkdir c2/work-ABCDEF; ferrite cache --cache c2 --cache-size 512M | sed 's/, [0-9]* bytes/, N bytes/'; ferrite cache clear --cache c2; ls c2 | sed 's/rt-.*/rt/'; touch -d 2001-01-01 c2/work-ABCDEF; ferrite cache clear --cache c2; ls c2; ferrite cache --cache c2; ferrite cache --cache ''; ferrite cache empty
--out--
c2: 2 files, N bytes, at most 536870912
notes.so
rt
work-ABCDEF
notes.so
c2: 0 files, 0 bytes, at most 4294967296
no cache: option cache is ''
--status-- 2
# so is what a file was compiled to: a program that is linked otherwise, or has another file too, compiles what is new alone
--run-- cat >cc.sh && chmod +x cc.sh; mkdir a b new; for f in a b; do cc -shared -fPIC -I$ROOT/include $ROOT/test/custom_ops/returns.c -o $f/libreturns.so; done; made() { : >compiled; ferrite compile "$@" --cache c3 --cc ./cc.sh -o o.so --quiet --isa x86-64-v3; echo $(sort compiled); }; made two.fx --ops a/libreturns.so; made two.fx --ops b/libreturns.so; readelf -d o.so | grep -o 'b:$ORIGIN'; made two.fx --ops b/libreturns.so; cp o.so good.so; sed 's/%y = .*/%p = _operator.getitem(%t, 0)\n%u = returns.two.default(%p) : (f32[8,4], f32[8])\n%y = _operator.getitem(%u, 0)/' two.fx >new/two.fx; made new/two.fx --ops b/libreturns.so; for spoil in 'truncate -s 900' 'truncate -s -1' 'cp c3/rt-*/rt.a'; do for o in c3/*.o; do $spoil $o; done; rm c3/*.so; made two.fx --ops b/libreturns.so; done; cmp good.so o.so
--file two.fx--
operators { "returns::two(Tensor x) -> (Tensor, Tensor)" }
graph two {
  placeholder %x user "x" : f32[8,4]
  %sine = aten.sin.default(%x)
  %t = returns.two.default(%sine) : (f32[8,4], f32[8])
  %y = _operator.getitem(%t, 0)
  output (user %y)
}
--in--
#!/bin/sh
# a C compiler that says what it compiles
for f in "$@"; do
    case $f in *.c) echo "${f##*/}" >>compiled ;; esac
done
exec cc "$@"
--out--
kernels_0.c model.c

b:$ORIGIN

model.c
kernels_0.c model.c
kernels_0.c model.c
kernels_0.c model.c
