# 158758: what a device copies to while the host goes on lies in pinned memory of the host, which is waited for before it is read, in
# the lines and in the graph; a copy that stays on the host is a copy
--skip-if-missing-- python3
--run-- ferrite inspect two.fx --stage wrap | grep -e '^temp.*pinned' -e '^place' -e '^copy' -e '^wait' -e '^output'; ferrite inspect two.fx --stage graph >graph; python3 read.py; sed 's/:cuda0//; s/device=cpu, //' two.fx | ferrite inspect - --stage wrap | grep -e pinned -e async -e wait | wc -l
--file two.fx--
graph main {
  placeholder %x user "x" : f32[8]:cuda0
  %e = aten.exp.default(%x) : f32[8]:cuda0
  %h = aten._to_copy.default(%e, device=cpu, non_blocking=True) : f32[8]
  %n = aten.neg.default(%h) : f32[8]
  %b = aten._to_copy.default(%e, device=cpu) : f32[8]
  %s = aten.add.Tensor(%n, %b) : f32[8]
  output (user %s)
}
--file read.py--
import json
for n in json.load(open("graph"))["graphs"]["main"]:
    if n.get("target") in ("ferrite.empty_pinned", "ferrite.transfer", "ferrite.wait"):
        print(n["target"], n["args"][-1] if n["target"] == "ferrite.transfer" else n["name"])
--out--
temp   @buf2 : f32[8] strides [1] pinned origin 2
place 1 cuda 0
place 2 pinned
copy @buf1[8]{1} -> @buf2[8]{1} async
copy @buf1[8]{1} -> @buf3[8]{1}
wait @buf2
output 0 @buf4[8]{1}
ferrite.empty_pinned buf2
ferrite.transfer True
ferrite.transfer False
ferrite.wait wait__10
0
--status-- 1
