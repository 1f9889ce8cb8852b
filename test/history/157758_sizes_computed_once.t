# 157758: a compound size that kernels go by is a node of its own in the graph, computed once for all that use it
--skip-if-missing-- python3
--run-- ferrite inspect - --stage graph >graph && python3 read.py
--file read.py--
import json
nodes = json.load(open("graph"))["graphs"]["main"]
sizes = [n for n in nodes if n["name"].startswith("ps__")]
print(len(sizes), len({json.dumps([n["target"], n["args"]]) for n in sizes}))
for n in nodes:
    if n["name"] in ("s0", "s1") or n["name"].startswith("ps__"):
        print(n["name"], n["target"], [a["node"] if isinstance(a, dict) else a for a in n["args"]])
    if n.get("target") == "ferrite.kernel":
        print("kernel", n["args"][3], n["kwargs"]["grid"])
--in--
graph main {
  range s0 in [2, 64]
  range s1 in [2, 64]
  placeholder %x user "x" : f32[s0,1,4]
  placeholder %y user "y" : f32[s1,4]
  %a = aten.add.Tensor(%x, %y) : f32[s0,s1,4]
  %f = aten.reshape.default(%a, [-1]) : f32[4*s0*s1]
  %s = aten.sum.dim_IntList(%a, [2]) : f32[s0,s1]
  output (user %f, user %s)
}
--out--
4 4
s0 ferrite.size ['given__0', 0]
s1 ferrite.size ['given__1', 0]
ps__4 operator.mul [4, 's0']
ps__5 operator.mul ['ps__4', 's1']
ps__6 operator.mul ['s0', 's1']
kernel [{'node': 's0'}, {'node': 's1'}] [{'node': 'ps__6'}, None]
ps__8 operator.mul [4, 's1']
kernel [{'node': 'ps__8'}] [{'node': 's0'}, {'node': 'ps__8'}]
