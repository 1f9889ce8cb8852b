# a scatter whose elements may meet is atomic where the device can: an addition of whole numbers at once, of floats and the larger of two by comparing and swapping; 64 bits only in CUDA; else one work-item does all
--run-- for d in opencl cuda privateuseone; do echo $d; ferrite inspect k.fx --device $d --isa baseline --stage kern | grep -E 'rows|store (atomic )?b.\[[^]]*v'; done
--file k.fx--
graph main {
  placeholder %x user "x" : f32[64,32]
  placeholder %c user "c" : i64[64]
  placeholder %i user "i" : i64[512]
  placeholder %s user "s" : f32[512,32]
  %a = aten.index_add.default(%x, 0, %i, %s) : f32[64,32]
  %r = aten.index_reduce.default(%x, 0, %i, %s, "amax") : f32[64,32]
  %n = aten.index_add.default(%c, 0, %i, %i) : i64[64]
  %p = aten.index_copy.default(%x, 0, %i, %s) : f32[64,32]
  output (user %a, user %r, user %n, user %p)
}
--out--
opencl
  rows () {
  rows () {
      store b1[v1] : i64 add= v1
  rows () {
  rows (i0) {
      store atomic b1[p0*v2 + i1] : f32 add= v1
  rows () {
  rows (i0) {
      store atomic b1[p0*v2 + i1] : f32 max= v1
  rows () {
  rows (i0) serial of p0 {
      store b1[p1*v2 + i1] : f32 = v1
cuda
  rows () {
  rows () {
      store atomic b1[v1] : i64 add= v1
  rows () {
  rows (i0) {
      store atomic b1[p0*v2 + i1] : f32 add= v1
  rows () {
  rows (i0) {
      store atomic b1[p0*v2 + i1] : f32 max= v1
  rows () {
  rows (i0) serial of p0 {
      store b1[p1*v2 + i1] : f32 = v1
privateuseone
  rows () {
  rows () {
      store b1[v1] : i64 add= v1
  rows () {
  rows (i0) serial of p0 {
      store b1[p1*v2 + i1] : f32 add= v1
  rows () {
  rows (i0) serial of p0 {
      store b1[p1*v2 + i1] : f32 max= v1
  rows () {
  rows (i0) serial of p0 {
      store b1[p1*v2 + i1] : f32 = v1
--run-- for d in opencl cuda; do echo $d; ferrite inspect k.fx --device $d --isa baseline --stage device | grep -E -A4 '^ .*(FE_SWAP|FE_ADD|FE_BITS)'; done
--file k.fx--
graph main {
  placeholder %x user "x" : f32[64]
  placeholder %y user "y" : f64[64]
  placeholder %c user "c" : i32[64]
  placeholder %i user "i" : i64[512]
  placeholder %s user "s" : f32[512]
  placeholder %d user "d" : f64[512]
  placeholder %v user "v" : i32[512]
  %a = aten.index_add.default(%x, 0, %i, %s) : f32[64]
  %r = aten.index_reduce.default(%y, 0, %i, %d, "amin") : f64[64]
  %n = aten.index_add.default(%c, 0, %i, %v) : i32[64]
  output (user %a, user %r, user %n)
}
--out--
opencl
      for (u32 old, seen = FE_BITS(f32, u32, b1[v2]);; seen = old) {
        const f32 there = FE_BITS(u32, f32, seen);
        old = FE_SWAP32(&b1[v2], seen, FE_BITS(f32, u32, there + v1));
        if (old == seen) break;
      }
    }
  }
--
      FE_ADD_i32(&b1[v2], v1);
    }
  }
}

cuda
      FE_ADD_f32(&b1[v2], v1);
    }
  }
}

--
      for (u64 old, seen = FE_BITS(f64, u64, b1[v2]);; seen = old) {
        const f64 there = FE_BITS(u64, f64, seen);
        old = FE_SWAP64(&b1[v2], seen, FE_BITS(f64, u64, (v1 != v1 ? v1 : v1 < there ? v1 : there)));
        if (old == seen) break;
      }
    }
  }
--
      FE_ADD_i32(&b1[v2], v1);
    }
  }
}
