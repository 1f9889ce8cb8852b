# 158399: where each line comes from can be asked of any compile by itself, without other output or other results; one compile
# leaves nothing for the next
--run-- p=$ROOT/test/cases/programs; ferrite compile $ROOT/demo/digits.pt2 -o plain.so --quiet && ferrite compile $ROOT/demo/digits.pt2 -o told.so --provenance told.json --quiet && cmp plain.so told.so && ferrite compile $p/small_resnet.pt2 -o other.so --provenance other.json --quiet && ferrite compile $ROOT/demo/digits.pt2 -o again.so --provenance again.json --quiet && cmp told.json again.json && sed -n '/"lines": \[/,/^  \]/p' told.json | sed -n 1,4p | sed 's/\(k_[a-z_]*\)_[0-9a-f]\{6\}/\1/g' && sed -n '/"exported": {/,$p' told.json | sed -n 1,3p
--out--
  "lines": [
    {"line": 4, "does": "extern", "operator": "conv", "nodes": ["conv2d", "relu"], "inlined": []},
    {"line": 8, "does": "extern", "operator": "conv", "nodes": ["conv2d_1", "relu_1"], "inlined": []},
    {"line": 12, "does": "kernel", "kernel": "k_max", "nodes": ["max_pool2d"], "inlined": []},
  "exported": {
    "conv2d": {"lines": [4], "nodes": ["conv2d"]},
    "relu": {"lines": [4], "nodes": ["relu"]},
