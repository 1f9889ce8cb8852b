# a page about a program: what each step moves, where it comes from, what holds the peak (shared memory counts once); with
# nothing from elsewhere
--run-- ferrite report $ROOT/test/cases/programs/small_unet.pt2 -o r.html --quick && grep -cE 'src=|href=|url\(|@import' r.html; sed -n '/id="peak"/,/<h2>Buffers/{/^<tr>/p;}' r.html; grep -c '<title>' r.html; grep -o '<section id="[a-z]*"' r.html
--out--
wrote r.html
0
<tr><td class="s">cases_programs.py:123 in forward<span class="bar" style="width:61.5%"></span></td><td class="n" data-v="4608">4.5 KiB</td><td class="n" data-v="61.5384615">61.5 %</td><td class="n" data-v="1">1</td></tr>
<tr><td class="s">activation.py:475 in forward<span class="bar" style="width:30.8%"></span></td><td class="n" data-v="2304">2.2 KiB</td><td class="n" data-v="30.7692308">30.8 %</td><td class="n" data-v="1">1</td></tr>
<tr><td class="s">cases_programs.py:122 in forward<span class="bar" style="width:7.7%"></span></td><td class="n" data-v="576">576 B</td><td class="n" data-v="7.69230769">7.7 %</td><td class="n" data-v="1">1</td></tr>
14
<section id="memory"
<section id="peak"
<section id="kernels"
<section id="steps"
<section id="lent"
<section id="compile"
--run-- ferrite report $ROOT/test/cases/programs/small_unet.pt2 -o r.html --quick >/dev/null && grep -o '<div class="tile">[^/]*Order.*at once[^<]*' r.html
--out--
<div class="tile"><span>Order</span><b>Proven least</b><span>7.3 KiB at once; no order needs less
--run-- ferrite report $ROOT/test/cases/programs/loops.pt2 -o r.html && grep -o 'Times are [^<]*' r.html
--out--
wrote r.html
Times are those of the fastest run, on all processors.
--run-- ferrite report x.pt2 -o r.html; ferrite report x.pt2; echo status $?
--out--
status 2
--run-- for m in equal_layers inverted_residual autocast_regions; do ferrite report $ROOT/test/cases/programs/$m.pt2 -o r.html --quick >/dev/null && sed -n '/id="peak"/,/<h2>Buffers/s/.*data-v="\([0-9.]*\)">[0-9.]* %.*/\1/p' r.html | awk '{ sum += $1 } END { print sum }'; done
--out--
100
100
100
--run-- ferrite report $ROOT/test/cases/programs/recurrent_layers.pt2 -o r.html --quick && grep -o '&times;&thinsp;[0-9]*' r.html | sort | uniq -c | sed -n 1,2p; sed -n '/id="kernels"/,/<section id="steps"/p' r.html | grep -c '^<tr>'
--out--
wrote r.html
     14 &times;&thinsp;40
13
--run-- ferrite report $ROOT/test/cases/programs/tiny_vit.pt2 -o r.html --donate all --quick && grep -o '<span>Donated</span><b>[^<]*' r.html; sed -n '/id="lent"/,/<section id="compile"/p' r.html | grep -o '>input [a-z0-9_]*<'; ferrite report $ROOT/test/cases/programs/dynamic_mlp.pt2 -o r.html --sizes s0=7 && grep -o 'For the sizes[^.]*' r.html; grep -c 'Times are' r.html || true
--out--
wrote r.html
<span>Donated</span><b>1.6 KiB
>input x<
>input x<
>input x<
>input x<
>input x<
>input x<
>input x<
>input x<
>input x<
wrote r.html
For the sizes that were given
0
