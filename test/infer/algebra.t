# factors are column major, transforms put the transformed dimensions innermost
--run-- ferrite inspect --stage fx --no-passes -
--in--
graph main {
  placeholder %a user "a" : f32[2,5,3]
  placeholder %s user "s" : f32[2,4,4]
  placeholder %b user "b" : f32[4,2]
  %qr = aten.linalg_qr.default(%a)
  %svd = aten.linalg_svd.default(%a, False)
  %cholesky = aten.linalg_cholesky.default(%s)
  %solve = aten.linalg_solve.default(%s, %b)
  %det = aten.linalg_det.default(%s)
  %eigh = aten.linalg_eigh.default(%s)
  %rfft = aten.fft_rfft.default(%a)
  %columns = aten.fft_fft.default(%a, None, 1)
  %back = aten.fft_irfft.default(%rfft, 3)
  %kernel = aten._fft_r2c.default(%a, [1, 2], 0, True)
  output (user %det)
}
--out--
graph main {
  placeholder %a user "a" : f32[2,5,3]{15,3,1}@1
  placeholder %s user "s" : f32[2,4,4]{16,4,1}@2
  placeholder %b user "b" : f32[4,2]{2,1}@3
  %qr = aten.linalg_qr.default(%a, "reduced") : (f32[2,5,3]{15,1,5}@4, f32[2,3,3]{9,1,3}@5)
  %svd = aten.linalg_svd.default(%a, False, None) : (f32[2,5,3]{15,1,5}@6, f32[2,3]{3,1}@7, f32[2,3,3]{9,1,3}@8)
  %cholesky = aten.linalg_cholesky.default(%s, False) : f32[2,4,4]{16,1,4}@9
  %solve = aten.linalg_solve.default(%s, %b, True) : f32[2,4,2]{8,1,4}@10
  %det = aten.linalg_det.default(%s) : f32[2]{1}@11
  %eigh = aten.linalg_eigh.default(%s, "L") : (f32[2,4]{4,1}@12, f32[2,4,4]{16,1,4}@13)
  %rfft = aten.fft_rfft.default(%a, None, -1, None) : c64[2,5,2]{10,2,1}@14
  %columns = aten.fft_fft.default(%a, None, 1, None) : c64[2,5,3]{15,1,5}@15
  %back = aten.fft_irfft.default(%rfft, 3, -1, None) : f32[2,5,3]{15,3,1}@16
  %kernel = aten._fft_r2c.default(%a, [1, 2], 0, True) : c64[2,5,2]{10,2,1}@17
  output (user %det)
}
