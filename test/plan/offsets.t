# Buffers are packed as low as their lives allow; the file with offsets is written and reads back.
--run-- ferrite plan buffers.csv -o planned.csv | grep -v '^time'
--file buffers.csv--
id,lower,upper,size
conv1,0,3,400
relu1,2,5,100
conv2,4,8,400
relu2,7,9,100
bias,0,9,50
--out--
buffers      5
height       550
lower bound  550
ratio        1.000000 (no plan is lower)
method       skyline, 0 steps
--run-- ferrite plan planned.csv | grep 'given plan'
--out--
given plan   550, ratio 1.000000
