# the libraries show the functions of ferrite.h, all of them and nothing else; the headers are C99 and C++; names
# of a host do not clash with names inside
--run-- sed -n 's/^FE_API .*[ *]\(fe_[a-z_]*\)(.*/\1/p' $ROOT/include/ferrite.h $ROOT/include/ferrite_graph.h | sort >wanted; nm -g --defined-only $BUILD/libferrite.a | awk 'NF == 3 {print $3}' | sort >static; nm -D --defined-only $BUILD/libferrite.so | awk 'NF == 3 {print $3}' | sort >shared; diff wanted static && diff wanted shared && grep -c fe_session_new wanted static shared
--out--
wanted:1
static:1
shared:1
--run-- printf '#include "ferrite.h"\nfe_status status = FE_OK;\n' >h.c && cc -std=c99 -Wall -Wextra -Wpedantic -Werror -I$ROOT/include -fsyntax-only h.c && if command -v c++ >/dev/null; then c++ -x c++ -std=c++11 -Wall -Wextra -Wpedantic -Werror -I$ROOT/include -fsyntax-only h.c; fi
--run-- printf '#include "ferrite.h"\n#include <stdio.h>\nint arena_new(void);\nint arena_new(void) { return 7; }\nint main(int n, char **v)\n{\n    fe_session *s = fe_session_new();\n    const char *out;\n    if (n < 2 || fe_inspect_file(s, v[1], "wrap", &out, NULL)) return fputs(fe_error(s), stderr), 1;\n    printf("%%d %%.7s\\n", arena_new(), out);\n    fe_session_free(s);\n}\n' >host.c && ${FERRITE_TEST_CC:-cc} -I$ROOT/include host.c $BUILD/libferrite.a $(sed -n 's/^Libs.private: //p' $BUILD/ferrite.pc) -o one && ./one $ROOT/demo/digits.pt2 && ${FERRITE_TEST_CC:-cc} -I$ROOT/include host.c $(sed -n 's/^Libs.private: //p' $BUILD/ferrite.pc) $BUILD/libferrite.so -o two && ln -s $BUILD/libferrite.so libferrite.so.0 && LD_LIBRARY_PATH=. ./two $ROOT/demo/digits.pt2
--out--
7 program
7 program
