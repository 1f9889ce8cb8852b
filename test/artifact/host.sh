# host.sh COMMAND... -- runs a host that is not sanitized itself, though the artifacts that it loads may be.
case "$FERRITE_TEST_CC" in
*sanitize*)
    LD_PRELOAD="$(cc -print-file-name=libasan.so) $(cc -print-file-name=libubsan.so)"
    ASAN_OPTIONS=detect_leaks=0
    export LD_PRELOAD ASAN_OPTIONS
    ;;
esac
exec "$@"
