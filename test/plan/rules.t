# Alignment, a group that shares storage with a slice, a gap in a group, and a fixed buffer, all in one file.
--run-- ferrite plan buffers.csv -o planned.csv | grep -E 'height|ratio'; cat planned.csv
--file buffers.csv--
id,lower,upper,size,alignment,group,group_offset,fixed,offset
first,0,3,64,64,1,0,0,
second,1,3,64,64,1,64,0,
whole,2,4,128,64,1,0,0,
early,0,1,64,64,0,0,0,
input,0,4,100,1,0,0,1,128
state,0,1,28,1,2,0,0,
state,3,4,28,1,2,0,0,
--out--
height       256
ratio        1.000000 (no plan is lower)
id,lower,upper,size,alignment,group,group_offset,fixed,offset
first,0,3,64,64,1,0,0,0
second,1,3,64,64,1,64,0,64
whole,2,4,128,64,1,0,0,0
early,0,1,64,64,0,0,0,64
input,0,4,100,1,0,0,1,128
state,0,1,28,1,2,0,0,228
state,3,4,28,1,2,0,0,228
