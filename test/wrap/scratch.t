# scratch of threads lies in what is free of the arena, or of an output, during the line (law W13), where they fit
--run-- ferrite inspect scratch.fx --stage wrap | sed -n '/^wrapper/p; /^memory/p; /^extern/s/.*-> /-> /p'; ferrite compile scratch.fx --emit c -o scratch --quiet && sed -n '/\.room/p; /each/p' scratch/model.c
--file scratch.fx--
graph main {
  placeholder %x user "x" : f32[8,64]
  placeholder %w user "w" : f32[64,512]
  placeholder %u user "u" : f32[512,8]
  %s = aten.sort.default(%x) : (f32[8,64], i64[8,64])
  %v = _operator.getitem(%s, 0) : f32[8,64]
  %h = aten.mm.default(%v, %w) : f32[8,512]
  %y = aten.mm.default(%h, %u) : f32[8,8]
  %t = aten.sort.default(%y) : (f32[8,8], i64[8,8])
  %z = _operator.getitem(%t, 0) : f32[8,8]
  %o = aten.repeat.default(%z, [8, 100]) : f32[64,800]
  output (user %o)
}
--out--
wrapper arena 256 bound 256 weights 0 kernels 1 calls 5 scratch 131200
memory @buf3 in @buf7 at 4096
memory @buf4 in @buf7
memory @buf5 in @buf7 at 4096
memory @buf7 output 0
-> (@buf3[8,64]{64,1}, none) ints [1, 0] floats [] scratch @buf7 18432 bytes 186304
-> (@buf4[1,8,512]{4096,512,1}) ints [] floats [1.0, 0.0] scratch @buf7 18432 bytes 186304
-> (@buf5[1,8,8]{64,8,1}) ints [] floats [1.0, 0.0] scratch @buf7 16640 bytes 188096
-> (@buf6[8,8]{8,1}, none) ints [1, 0] floats [] scratch @buf7 16640 bytes 188096
        .room = (char *)buf7 + 18432,
        .room_bytes = 186304,
        .each = 1024,
        .room = (char *)buf7 + 18432,
        .room_bytes = 186304,
        .each = 131200,
        .room = (char *)buf7 + 16640,
        .room_bytes = 188096,
        .each = 65664,
        .room = (char *)buf7 + 16640,
        .room_bytes = 188096,
        .each = 128,
    .each_bytes = 0,
    .rooms = (const rt_room[]){{131200, 186304}, {0, 0}},
--run-- ferrite inspect scratch.fx --stage wrap >scratch.wrap && ferrite inspect scratch.wrap --from wrap --stage wrap | cmp - scratch.wrap; sed 's/ scratch @buf7 18432/ scratch @buf7 18304/' scratch.wrap | ferrite inspect - --from wrap --stage wrap
--err--
error: wrap: law W13: an operator works in memory that is in use: buf3
  at line 2: extern sort (@x[8,64]{64,1}) -> (@buf3[8,64]{64,1}, none) ints [1, 0] floats [] scratch @buf7 18304 bytes 186304
  help: this is a fault of ferrite's own: please report it with the program
--status-- 1
--run-- sed 's/ bytes 186304/ bytes 1000000/' scratch.wrap | ferrite inspect - --from wrap --stage wrap
--err--
error: wrap: law W13: an operator has scratch where it has no memory: sort
  at line 2: extern sort (@x[8,64]{64,1}) -> (@buf3[8,64]{64,1}, none) ints [1, 0] floats [] scratch @buf7 18432 bytes 1000000
  help: this is a fault of ferrite's own: please report it with the program
--status-- 1
--run-- sed 's/ bytes 186304/ bytes 1024/' scratch.wrap | ferrite inspect - --from wrap --stage wrap
--err--
error: wrap: law W13: an operator has memory for scratch that is too small: bmm
  at line 4: extern bmm (@buf3[1,8,64]{0,64,1}, @w[1,64,512]{0,512,1}, none) -> (@buf4[1,8,512]{4096,512,1}) ints [] floats [1.0, 0.0] scratch @buf7 18432 bytes 1024
  help: this is a fault of ferrite's own: please report it with the program
--status-- 1
--run-- ferrite inspect arena.fx --stage wrap >arena.wrap; sed -n '/^wrapper/p; /^alloc/p; /^extern/s/.*-> /-> /p' arena.wrap
--file arena.fx--
graph main {
  placeholder %x user "x" : f32[8,64]
  placeholder %w user "w" : f32[64,512]
  placeholder %u user "u" : f32[512,8]
  %s = aten.sort.default(%x) : (f32[8,64], i64[8,64])
  %v = _operator.getitem(%s, 0) : f32[8,64]
  %h = aten.mm.default(%v, %w) : f32[8,512]
  %y = aten.mm.default(%h, %u) : f32[8,8]
  output (user %y)
}
--out--
wrapper arena 18432 bound 18432 weights 0 kernels 0 calls 3 scratch 131200
alloc @buf3 live [0, 2) at 16384 bytes 2048
-> (@buf3[8,64]{64,1}, none) ints [1, 0] floats [] scratch 0 bytes 16384
alloc @buf4 live [1, 3) at 0 bytes 16384
-> (@buf4[1,8,512]{4096,512,1}) ints [] floats [1.0, 0.0]
-> (@buf5[1,8,8]{64,8,1}) ints [] floats [1.0, 0.0]
--run-- sed 's/ scratch 0 bytes/ scratch 64 bytes/' arena.wrap | ferrite inspect - --from wrap --stage wrap
--err--
error: wrap: law W13: an operator works in memory that is in use: buf3
  at line 3: extern sort (@x[8,64]{64,1}) -> (@buf3[8,64]{64,1}, none) ints [1, 0] floats [] scratch 64 bytes 16384
  help: this is a fault of ferrite's own: please report it with the program
--out--
--status-- 1
--run-- sed 's/ scratch [0-9]* bytes [0-9]*/ scratch 2048 bytes 99968/' arena.wrap | ferrite inspect - --from wrap --stage wrap
--err--
error: wrap: law W13: an operator has scratch where it has no memory: sort
  at line 3: extern sort (@x[8,64]{64,1}) -> (@buf3[8,64]{64,1}, none) ints [1, 0] floats [] scratch 2048 bytes 99968
  help: this is a fault of ferrite's own: please report it with the program
--status-- 1
