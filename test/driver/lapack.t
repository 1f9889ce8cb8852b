# a program that needs LAPACK says so where it may not or cannot be linked, once; its C sources name the library; others have none of it
--run-- ferrite compile inv.fx -o m.so --quiet --lapack none
--file inv.fx--
graph main {
  placeholder %x user "x" : f32[3,3]
  %inv = aten.linalg_inv.default(%x) : f32[3,3]{1,3}
  %det = aten.linalg_det.default(%x) : f32[]
  output (user %inv, user %det)
}
--out--
--err--
error: link: cannot handle aten.linalg_inv.default: it needs LAPACK, which this compilation is to do without (--lapack none)
  at %inv in graph main
  help: install LAPACK (Debian and Ubuntu: apt-get install liblapack-dev), or name it with --lapack FLAGS or FERRITE_LAPACK
--status-- 1
--run-- chmod +x cc.sh && ferrite compile inv.fx -o m.so --quiet --cc ./cc.sh --cache cache; ls m.so cache/*.so 2>/dev/null
--file cc.sh--
#!/bin/sh
# a machine without LAPACK
case "$*" in *-llapack*|*-lopenblas*) echo "cannot find it" >&2; exit 1;; esac
exec cc "$@"
--out--
--err--
error: link: cannot handle aten.linalg_inv.default: it needs LAPACK, and neither -llapack nor -lopenblas links here
  at %inv in graph main
  help: install LAPACK (Debian and Ubuntu: apt-get install liblapack-dev), or name it with --lapack FLAGS or FERRITE_LAPACK
--status-- 2
--run-- FERRITE_LAPACK='-L. -lmine' ferrite compile inv.fx -o m.so --quiet --cache cache
--out--
--err--
error: link: cannot handle aten.linalg_inv.default: it needs LAPACK, which '-L. -lmine' does not link here
  at %inv in graph main
  help: install LAPACK (Debian and Ubuntu: apt-get install liblapack-dev), or name it with --lapack FLAGS or FERRITE_LAPACK
--status-- 1
--run-- ferrite compile inv.fx -o inv/ --emit c | sed -n '/LAPACK/p;$p' && sed -n '/LAPACK/p' inv/Makefile && ls inv/runtime | grep -c rt_lapack
--out--
needs LAPACK (-llapack), for inv, det
wrote inv/
# LAPACK, for linear algebra (Debian: liblapack-dev).
LAPACK ?= -llapack
	$(CC) -shared -o $@ $^ $(LAPACK) -lm $(OPS)
# For programs that are linked with it: cc main.c libinv.a $(LAPACK) -lm -lpthread
6
--run-- ferrite compile inv.fx -o mine/ --emit c --quiet --lapack '-L/opt/lib -lmine' && grep '^LAPACK' mine/Makefile
--out--
LAPACK ?= -L/opt/lib -lmine
--run-- ferrite compile neg.fx -o neg/ --emit c --quiet --lapack none && ! grep -ri lapack neg/Makefile && ls neg/runtime | grep -c rt_lapack
--file neg.fx--
graph main {
  placeholder %x user "x" : f32[3]
  %y = aten.neg.default(%x) : f32[3]
  output (user %y)
}
--out--
0
--status-- 1
--run-- ferrite inspect inv.fx --stage wrap >inv.wrap && ferrite inspect inv.wrap --from wrap --stage wrap | cmp - inv.wrap && grep text inv.wrap
--out--
extern check_info (@buf3[]{}) -> () ints [1] floats [] text "linalg.inv"
--run-- ferrite inspect inv.fx --stage loop >inv.loop && ferrite inspect inv.loop --from loop --stage loop | cmp - inv.loop
