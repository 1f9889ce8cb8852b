# 159530: memory is used again only where that holds no more of it: beside a large buffer in the middle, the small ones before and after
# it do not keep each other's memory, and the arena is what lives at once
--run-- ferrite inspect hill.fx --stage plan | sed 's/; for the.*//' && ferrite inspect hill.fx --stage wrap | grep -e '^wrapper' -e '^alloc'
--file hill.fx--
graph main {
  placeholder %x user "x" : f32[16,16]
  placeholder %w user "w" : f32[16,64]
  placeholder %v user "v" : f32[64,16]
  %a = aten.mm.default(%x, %x) : f32[16,16]
  %b = aten.mm.default(%a, %w) : f32[16,64]
  %c = aten.mm.default(%v, %b) : f32[64,64]
  %d = aten.mm.default(%c, %v) : f32[64,16]
  %e = aten.mm.default(%x, %w) : f32[16,64]
  %f = aten.mm.default(%e, %d) : f32[16,16]
  %g = aten.mm.default(%f, %x) : f32[16,16]
  output (user %g)
}
--out--
plan hill: arena 20480 bytes + 8768 a thread, bound 20480, 20480 in use at once (step 2), 6 buffers, order proven least
step 0 live 1024 a
step 1 live 5120 b
step 2 live 20480 c
step 3 live 20480 d
step 4 live 8192 e
step 5 live 9216 f
step 6 live 1024 g
@buf3 live [0, 2) at 4096 bytes 1024
@buf4 live [1, 3) at 0 bytes 4096 peak
@buf5 live [2, 4) at 4096 bytes 16384 peak
@buf6 live [3, 6) at 0 bytes 4096
@buf7 live [4, 6) at 4096 bytes 4096
@buf8 live [5, 7) at 8192 bytes 1024
wrapper arena 20480 bound 20480 weights 0 kernels 0 calls 7 scratch 8768
alloc @buf3 live [0, 2) at 4096 bytes 1024
alloc @buf4 live [1, 3) at 0 bytes 4096
alloc @buf5 live [2, 4) at 4096 bytes 16384
alloc @buf6 live [3, 6) at 0 bytes 4096
alloc @buf7 live [4, 6) at 4096 bytes 4096
alloc @buf8 live [5, 7) at 8192 bytes 1024
--run-- ferrite check --lifecycle-check $ROOT/test/cases/programs/small_unet.pt2 $ROOT/test/cases/programs/small_resnet.pt2
--out--
2 passed, 0 failed, 0 unsupported
