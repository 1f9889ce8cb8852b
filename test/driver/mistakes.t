# what cannot be used is one diagnostic, exit status 1, nothing written
--run-- ferrite compile missing.pt2 -o m.so; echo status $?; ls
--out--
status 1
--err--
error: file: cannot open missing.pt2: No such file or directory
--run-- ferrite frobnicate
--err--
ferrite: unknown command 'frobnicate'

ferrite 0.1: compiles PyTorch programs to C

  ferrite run      compile a program, run it, show or write its outputs
  ferrite compile  make a shared library, or C sources
  ferrite inspect  show a stage of the compiler as text
  ferrite check    compare with recorded metadata and outputs
  ferrite plan     plan memory for a file of buffers

ferrite COMMAND --help says more.
--status-- 2
