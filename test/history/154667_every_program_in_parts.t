# 154667: whole programs in parts, cut in several ways, give what they give whole; `make test` cuts all recorded cases
--run-- for s in nodes=1 nodes=4 'op=add*,mul*,*mm*,linear*,conv*' 'module=*'; do ferrite check $ROOT/test/cases/programs --split "$s" --no-cc | grep -v '^unsupp' | tail -1 | sed 's/^[1-9][0-9]* passed/all passed/'; done
--out--
all passed, 0 failed, 0 unsupported
all passed, 0 failed, 0 unsupported
all passed, 0 failed, 0 unsupported
all passed, 0 failed, 0 unsupported
--run-- sed -n '/^split_parts/,/^}/p' $ROOT/tools/test.sh | grep -c -e 'test/cases' -e '--split'
--out--
2
