# an inverse transform fails where no window is over the signal that it gives back, and only there
--run-- for w in "0.0, 1.0, 1.0, 0.0" "1.0, 1.0, 1.0, 1.0"; do for c in True False; do sed "s/WINDOW/$w/; s/CENTER/$c/" m.txt >m.fx; ferrite run m.fx --no-cc >log 2>&1 && echo runs || grep error log; done; done
--file m.txt--
graph main {
  placeholder %x constant "x" : f32[3,4] data [1.0, 2.0, 3.0, 4.0, 1.0, 2.0, 3.0, 4.0, 1.0, 2.0, 3.0, 4.0]
  placeholder %w constant "w" : f32[4] data [WINDOW]
  %c = aten.complex.default(%x, %x)
  %a = aten.istft.default(%c, 4, 2, 4, %w, CENTER, False, True, None, False)
  %s = aten.ge.Scalar(%a, -100.0)
  output (user %s)
}
--out--
runs
error: run: istft: window overlap add min: 1: u0 == 0 (a): u0 = 1
runs
runs
