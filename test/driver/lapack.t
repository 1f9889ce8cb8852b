# a program that needs LAPACK says so where it may not or cannot be linked, once; its C sources name the library; others have none of it
--run-- ferrite compile singular.fx -o m.so --quiet --lapack none
--file singular.fx--
graph main {
  placeholder %x user "x" : f32[3,3]
  %values = aten.linalg_svdvals.default(%x) : f32[3]
  %least = aten.linalg_eigvalsh.default(%x) : f32[3]
  output (user %values, user %least)
}
--out--
--err--
error: link: cannot handle aten.linalg_svdvals.default: it needs LAPACK, which this compilation is to do without (--lapack none)
  at %values in graph main
  help: install LAPACK (Debian and Ubuntu: apt-get install liblapack-dev), or name it with --lapack FLAGS or FERRITE_LAPACK
--status-- 1
--run-- chmod +x cc.sh && ferrite compile singular.fx -o m.so --quiet --cc ./cc.sh --cache cache; ls m.so cache/*.so 2>/dev/null
--file cc.sh--
#!/bin/sh
# a machine without LAPACK
case "$*" in *-llapack*|*-lopenblas*) echo "cannot find it" >&2; exit 1;; esac
exec cc "$@"
--out--
--err--
error: link: cannot handle aten.linalg_svdvals.default: it needs LAPACK, and neither -llapack nor -lopenblas links here
  at %values in graph main
  help: install LAPACK (Debian and Ubuntu: apt-get install liblapack-dev), or name it with --lapack FLAGS or FERRITE_LAPACK
--status-- 2
--run-- FERRITE_LAPACK='-L. -lmine' ferrite compile singular.fx -o m.so --quiet --cache cache
--out--
--err--
error: link: cannot handle aten.linalg_svdvals.default: it needs LAPACK, which '-L. -lmine' does not link here
  at %values in graph main
  help: install LAPACK (Debian and Ubuntu: apt-get install liblapack-dev), or name it with --lapack FLAGS or FERRITE_LAPACK
--status-- 1
--run-- ferrite compile singular.fx -o singular/ --emit c | sed -n '/LAPACK/p;$p' && sed -n '/LAPACK/p' singular/Makefile && ls singular/runtime | grep -c rt_lapack
--out--
needs LAPACK (-llapack), for values, least
wrote singular/
# LAPACK, for linear algebra (Debian: liblapack-dev).
LAPACK ?= -llapack
	$(CC) -shared -o $@ $^ $(LAPACK) -lm $(OPS)
# For programs that are linked with it: cc main.c libsingular.a $(LAPACK) -lm -lpthread
5
--run-- ferrite compile singular.fx -o mine/ --emit c --quiet --lapack '-L/opt/lib -lmine' && grep '^LAPACK' mine/Makefile
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
--run-- ferrite inspect singular.fx --stage wrap >inv.wrap && ferrite inspect inv.wrap --from wrap --stage wrap | cmp - inv.wrap && grep text inv.wrap
--out--
extern check_info (@buf2[]{}) -> () ints [4] floats [] text "linalg.svd"
extern check_info (@buf4[]{}) -> () ints [5] floats [] text "linalg.eigh"
--run-- ferrite inspect singular.fx --stage loop >inv.loop && ferrite inspect inv.loop --from loop --stage loop | cmp - inv.loop
