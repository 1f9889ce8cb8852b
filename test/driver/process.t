# the lines of a program run as they are: with compiled kernels, or without any C compiler
--once--
--run-- c=$ROOT/test/cases/programs; ferrite check --target process $c/dynamic_mlp.pt2 $c/input_mutation.pt2 $ROOT/test/cases/ops/buckets.pt2; ferrite check --no-cc --cc no-such-compiler --cache '' $ROOT/test/cases | grep -v -e '^unsupported' -e '^    ' | sed 's/[1-9][0-9]*/N/g'
--out--
3 passed, 0 failed, 0 unsupported
N passed, 0 failed, N unsupported
--run-- cp $ROOT/test/cases/ops/linalg_factors.* . && ferrite check --no-cc linalg_factors.pt2
--out--
unsupported: linalg_factors.pt2
    error: exec: cannot handle svd: it needs LAPACK, which this process does not have
      help: a C compiler links it: leave --no-cc out
0 passed, 0 failed, 1 unsupported
--run-- for o in '--target c' '--target process' --no-cc; do ferrite run $ROOT/test/cases/programs/dynamic_mlp.pt2 $o --output-dir "out$o" >log || cat log; done; cmp 'out--target c/0.npy' 'out--target process/0.npy' && ls out--no-cc
--out--
0.npy
--run-- { printf '\223NUMPY\001\000\166\000%-117s\n' "{'descr': '<f4', 'fortran_order': False, 'shape': (1, 3, 96, 96), }"; head -c 110592 /dev/zero; } >x.npy; { printf '\223NUMPY\001\000\166\000%-117s\n' "{'descr': '<f4', 'fortran_order': False, 'shape': (32, 3, 7, 7), }"; head -c 18816 /dev/zero; } >w.npy; for n in 1 2 3; do ferrite run wide.fx --input x.npy --input w.npy --threads $n --repeat 3 >log 2>&1 && echo $n || cat log; done
--file wide.fx--
graph wide {
  placeholder %x user "x" : f32[1,3,96,96]
  placeholder %w user "w" : f32[32,3,7,7]
  %y = aten.conv2d.default(%x, %w, None, [1, 1], [3, 3]) : f32[1,32,96,96]
  output (user %y)
}
--out--
1
2
3
