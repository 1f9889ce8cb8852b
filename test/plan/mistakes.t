# What is wrong with a file is said with its line or its buffer.
--run-- ferrite plan header.csv
--file header.csv--
id,lower,upper,weight
--err--
error: plan: cannot use the column 'weight'
  at line 1
  help: the columns are id,lower,upper,size and if wanted alignment,group,group_offset,fixed,offset

--status-- 1
--run-- ferrite plan life.csv
--file life.csv--
id,lower,upper,size
a,0,3,8
b,5,2,8
--err--
error: plan: dies before its birth at step 5
  at buffer 1

--status-- 1
--run-- ferrite plan overlap.csv > figures.txt
--file overlap.csv--
id,lower,upper,size,offset
a,0,3,8,0
b,1,2,8,4
--err--
error: plan: overlaps block 1
  at buffer 0

--status-- 1
--run-- printf 'PK\003\004' > model.pt2; ferrite plan model.pt2
--err--
error: plan: it is an archive, not a file of buffers
  at model.pt2
  help: `ferrite inspect FILE --stage plan` shows the plan of a program

--status-- 1
