# two models in one process: nothing but its one function leaves an artifact, and each runs its own code over its own weights,
# where the loader would bind one to the other, and linked into one program
--once--
--run-- ln -s $ROOT/test/cases/programs/dynamic_mlp.pt2 one.pt2; ln -s $ROOT/demo/digits.pt2 two.pt2; for n in one two; do ferrite compile $n.pt2 -o $n.so --quiet; done; nm -D --defined-only one.so two.so | sed 's/.* //'; ${FERRITE_TEST_CC:-cc} -I$ROOT/include $ROOT/test/artifact/both.c -o both -ldl && (./both ./one.so; ./both ./two.so) >alone; sed 's/:.*//' alone; for order in 'one two' 'two one'; do ./both $(printf './%s.so ' $order) | sort | cmp - alone && echo the same; done
--out--

one.so:
ferrite_artifact

two.so:
ferrite_artifact
one
two
the same
the same
--run-- for n in one two; do ferrite compile $n.pt2 --name $n -o lib$n.a --quiet || exit; done; ls *.h *.weights; nm --defined-only libone.a libtwo.a | sed -n 's/.* [A-Z] //p' | grep -v '\.' | sort -u; ${FERRITE_TEST_CC:-cc} -DBOTH_LINKED -I. -I$ROOT/include $ROOT/test/artifact/both.c libone.a libtwo.a -o program -lm -lpthread && ./program | cmp - alone && echo the same, linked; mkdir away; cd away; PATH=$PWD/..:$PATH program | cmp - ../alone && echo wherever it is called from
--out--
one.h
one.weights
two.h
two.weights
ferrite_artifact_one
ferrite_artifact_two
the same, linked
wherever it is called from
--run-- ferrite compile one.pt2 --name 'a-b' -o x.so; ferrite compile one.pt2 --name three -o three.so --quiet && nm -D --defined-only three.so | sed 's/.* //'; grep '^FE_' three.h
--out--
ferrite_artifact_three
FE_ARTIFACT const fe_artifact *ferrite_artifact_three(void);
--err--
error: option: name becomes part of a C function's: letters, digits and _, not 'a-b'
