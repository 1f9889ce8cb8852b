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
