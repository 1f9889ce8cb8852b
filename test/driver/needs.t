# an artifact needs libc (and its loader) and libm alone
--run-- ferrite compile $ROOT/demo/digits.pt2 -o m.so --quiet && readelf -d m.so | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' | grep -v ^ld-linux | sort
--out--
libc.so.6
libm.so.6
