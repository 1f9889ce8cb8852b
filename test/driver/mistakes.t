# what cannot be used is one diagnostic, exit status 1, nothing written
--run-- ferrite compile missing.pt2 -o m.so; echo status $?; ls
--out--
status 1
--err--
error: file: cannot open missing.pt2: No such file or directory
--run-- ferrite frobnicate
--err--
ferrite: there is no command 'frobnicate'
'ferrite help' lists them.
--status-- 2
--run-- printf 'graph main {\n  placeholder %%x user "x" : f32[4]\n  %%y = aten.exp.default(%%x) : f32[4]\n  output (user %%y)\n}\n' | ferrite inspect - --stage kern >k.kern; for c in 'compile -o k.so' 'compile --emit fx -o k.json' run bench; do ferrite $c k.kern --from kern; done; ls
--err--
error: compile: the text of kernels is no whole program
  help: inspect shows it as C: --from kern --stage c
error: compile: the text of kernels is no whole program
  help: inspect shows it as C: --from kern --stage c
error: compile: the text of kernels is no whole program
  help: inspect shows it as C: --from kern --stage c
error: compile: the text of kernels is no whole program
  help: inspect shows it as C: --from kern --stage c
--out--
k.kern
--run-- ferrite compile $ROOT/demo/digits.pt2 -o digits.c
--err--
ferrite compile: C sources are a folder with a Makefile: -o DIR/
'ferrite help compile' says more.
--status-- 2
--run-- ferrite compile $ROOT/demo/digits.pt2 -o digits.py --quiet && ferrite compile $ROOT/demo/digits.pt2 -o digits.json --quiet && ferrite compile $ROOT/demo/digits.pt2 -o digits/ --quiet && head -c 4 digits.py && head -c 1 digits.json && ls digits/Makefile
--out--
"""d{digits/Makefile
