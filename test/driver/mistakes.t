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
