# inputs from files are the program's to write to, and are not changed on disk; they are laid out as the
# program wants them, also where the strides follow from the sizes
--run-- npy() { printf "\223NUMPY\001\000v\000%-117s\n" "{'descr': '<f4', 'fortran_order': False, 'shape': ($1), }"; head -c $2 /dev/zero; }; npy '3, 5' 60 >a.npy && npy '3, 2' 24 >b.npy && ferrite run $ROOT/test/cases/programs/input_mutation.pt2 --input a.npy --input b.npy --repeat 3 --output-dir out >log && ls out && tail -c 60 a.npy | od -An -tf4 -w60 | tr -s ' '
--out--
0.npy
1.npy
2.npy
 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0
--run-- npy() { printf "\223NUMPY\001\000v\000%-117s\n" "{'descr': '|u1', 'fortran_order': False, 'shape': ($1), }"; printf abcdefghijkl; }; npy '3, 4' >a.npy && ferrite run $ROOT/test/cases/programs/dynamic_transposed.pt2 --input a.npy --output-dir out >log && tail -c 12 out/0.npy
--out--
bcdefghijklm
