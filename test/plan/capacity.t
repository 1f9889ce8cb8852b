# A capacity that no plan can meet is a mismatch, and the figures are still printed.
--run-- ferrite plan buffers.csv --capacity 120 | grep capacity
--file buffers.csv--
id,lower,upper,size
a,0,2,60
b,1,3,60
--out--
capacity     120, fits
--run-- ferrite plan buffers.csv --capacity 100 > figures.txt; status=$?; grep capacity figures.txt; exit $status
--out--
capacity     100, does not fit
--err--
error: plan: 120 bytes do not fit in 100
  help: give it more time with --budget-ms, or more room

--status-- 1
