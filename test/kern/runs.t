# lanes that mostly lie in one way, and where the last one tells: up, down, or all at one element; short ones do not
--run-- ferrite inspect --from loop --stage kern --isa x86-64-v3 - | grep load
--in--
program runs
input  @x : f32[8,100] strides [100,1]
temp   @roll : f32[8,100] strides [100,1]
temp   @flip : f32[8,100] strides [100,1]
temp   @near : f32[2,200] strides [200,1]
temp   @each : f32[8,100] strides [100,1]
temp   @tiny : f32[8,100] strides [100,1]
nest [i0 < 8, i1 < 100] {
  %0 = load f32 @x[100*i0 + (i1 + 95) % 100]
  @roll[100*i0 + i1] = %0
}
nest [i0 < 8, i1 < 100] {
  %0 = load f32 @x[100*i0 - i1 + 99]
  @flip[100*i0 + i1] = %0
}
nest [i0 < 2, i1 < 200] {
  %0 = load f32 @x[100*i0 + min(max(i1 - 50, 0), 99)]
  @near[200*i0 + i1] = %0
}
nest [i0 < 8, i1 < 100] {
  %0 = load f32 @x[100*i0 + (i1 + 10) // 20]
  @each[100*i0 + i1] = %0
}
nest [i0 < 8, i1 < 100] {
  %0 = load f32 @x[100*i0 + i1 % 5]
  @tiny[100*i0 + i1] = %0
}
output @roll[8,100]{100,1}
output @flip[8,100]{100,1}
output @near[2,200]{200,1}
output @each[8,100]{100,1}
output @tiny[8,100]{100,1}
--out--
      v1 : f32x8 = load runs b0[p0*i0 + (p1 + i1) % 100]
      v1 : f32x8 = load runs b0[p0*i0 + p1 - i1]
      v1 : f32x8 = load runs b0[p0*i0 + min(p2, max(p1 + i1, 0))]
      v1 : f32x8 = load runs b0[p0*i0 + (i1 + 10) // 20]
      v1 : f32x8 = load lanes b0[p0*i0 + i1 % 5]
--file runs.kern--
kernel k_runs group 0 lanes 8 ints [100]
  buffer b0 : f32 in @x
  buffer b1 : f32 out @y
  rows (i0) {
    vector i1 in columns {
      v1 : f32x8 = load runs b0[p0*i0 + i1 % 50]
      v2 : f32x8 = load runs b0[p0*i0 + 3 - i1]
      v3 : f32x8 = add v1, v2
      store b1[p0*i0 + i1] : f32x8 = v3
    }
  }
--run-- sed 's/i1 % 50/2*i1/' runs.kern | ferrite inspect - --from kern --stage kern
--err--
error: kern: law K3: nothing says when the lanes are neighbours
  at kernel k_runs group 0: v1 : f32x8 = load runs b0[p0*i0 + 2*i1]
  help: this is a fault of ferrite's own: please report it with the program
--status-- 1
# each element in several lanes, where an axis is divided by 2, 4 or 8
--file each.kern--
kernel k_each group 0 lanes 8 ints [100]
  buffer b0 : f32 in @x
  buffer b1 : f32 out @y
  rows (i0) {
    vector i1 in columns {
      v1 : f32x8 = load each 2 times b0[p0*i0 + i1 // 2]
      store b1[p0*i0 + i1] : f32x8 = v1
    }
  }
--run-- ferrite inspect each.kern --from kern --stage legal --isa x86-64-v3 | tee each.legal
--out--
function repeat2_f32x8 (v1 : f32x8) {
  v2 : f32x8 = shuffle v1, v1 [0, 0, 1, 1, 2, 2, 3, 3]
  return v2
}
kernel k_each group 0 lanes 8 ints [100]
  buffer b0 : f32 in @x
  buffer b1 : f32 out @y
  rows (i0) {
    vector i1 in columns count v2 {
      var v1 : f32x8 = 0.0
      v3 : i64 = index run i1 % 2
      v4 : bool = eq v3, i64 0
      v5 : bool = eq v2, i64 8
      v6 : bool = and v4, v5
      when v6 {
        v7 : f32x8 = load run b0[p0*i0 + i1 // 2] first 4
        v8 : f32x8 = call repeat2_f32x8 v7
        set v1 = v8
      }
      otherwise {
        lanes r0 first v2 {
          v9 : f32 = load b0[p0*i0 + (i1 + r0) // 2]
          set v1[r0] = v9
        }
      }
      store b1[p0*i0 + i1] first v2 : f32x8 = v1
    }
  }
--run-- ferrite inspect each.legal --from kern --stage legal --isa x86-64-v3 | cmp - each.legal
--run-- sed 's/i1 \/\/ 2/(i1 + 1) \/\/ 2/' each.kern | ferrite inspect - --from kern --stage legal --isa x86-64-v3
--err--
error: kern: law K3: the lanes are not those of every element 2 times
  at kernel k_each group 0: v1 : f32x8 = load each 2 times b0[p0*i0 + (i1 + 1) // 2]
  help: this is a fault of ferrite's own: please report it with the program
--status-- 1
--run-- sed 's/first 4/first 9/' each.legal | ferrite inspect - --from kern --stage legal --isa x86-64-v3
--err--
error: kern: law K3: v13 is no number of lanes
  at kernel k_each group 0: v7 : f32x8 = load run b0[p0*i0 + i1 // 2] first 9
  help: this is a fault of ferrite's own: please report it with the program
--status-- 1
--run-- sed 's/each 2 times/each 99 times/' each.kern | ferrite inspect - --from kern --stage kern
--err--
error: kern: there are fewer lanes (found 'times')
  at line 6, column 33
--status-- 1
--run-- ferrite inspect runs.kern --from kern --stage legal --isa x86-64-v4 | tee runs.legal
--out--
function turned_f32x8 (v1 : f32x8) {
  v2 : f32x8 = shuffle v1, v1 [7, 6, 5, 4, 3, 2, 1, 0]
  return v2
}
kernel k_runs group 0 lanes 8 ints [100]
  buffer b0 : f32 in @x
  buffer b1 : f32 out @y
  rows (i0) {
    vector i1 in columns count v4 {
      var v1 : f32x8 = 0.0
      v5 : i64 = index run p0*i0 + i1 % 50
      v6 : i64 = index run p0*i0 + (v4 + i1 + 49) % 50
      v7 : i64 = sub v6, v5
      v8 : i64 = sub v4, 1
      v9 : bool = eq v7, v8
      when v9 {
        v10 : f32x8 = load run b0[p0*i0 + i1 % 50] first v4
        set v1 = v10
      }
      otherwise {
        lanes r0 first v4 {
          v11 : f32 = load b0[p0*i0 + (i1 + r0) % 50]
          set v1[r0] = v11
        }
      }
      var v2 : f32x8 = 0.0
      v12 : bool = eq v4, i64 8
      when v12 {
        v13 : f32x8 = load run b0[p0*i0 - i1 - 4]
        v14 : f32x8 = call turned_f32x8 v13
        set v2 = v14
      }
      otherwise {
        v15 : boolx8 = below -v4 + 8
        v16 : boolx8 = not v15
        v17 : f32x8 = load run b0[p0*i0 - i1 - 4] if v16
        v18 : f32x8 = call turned_f32x8 v17
        set v2 = v18
      }
      v3 : f32x8 = add v1, v2
      store b1[p0*i0 + i1] first v4 : f32x8 = v3
    }
  }
--run-- ferrite inspect runs.legal --from kern --stage legal --isa x86-64-v4 | cmp - runs.legal
--out--
--run-- sed 's/when v9/when v4/' runs.legal | ferrite inspect - --from kern --stage legal --isa x86-64-v4
--err--
error: kern: law K2: an operand is i64, not bool
  at kernel k_runs group 0: when v4
  help: this is a fault of ferrite's own: please report it with the program
--status-- 1
--run-- sed 's/ when v9 {/ loop r1 < p0 {/' runs.legal | ferrite inspect - --from kern --stage legal --isa x86-64-v4
--err--
error: kern: law K6: nothing says when it is otherwise
  at kernel k_runs group 0: otherwise
  help: this is a fault of ferrite's own: please report it with the program
--status-- 1
--run-- sed 's/= load b0\[p0\*i0 + (i1 + r0) % 50\]/= load run b0[p0*i0 + i1 % 50]/' runs.legal | ferrite inspect - --from kern --stage legal --isa x86-64-v4
--err--
error: kern: law K3: this is of the first lane, in one of them
  at kernel k_runs group 0: v11 : f32 = load run b0[p0*i0 + i1 % 50]
  help: this is a fault of ferrite's own: please report it with the program
--status-- 1
--run-- sed 's/lanes r0 first v4 {/& when v9 {/; s/set v1\[r0\] = v11/& }/' runs.legal | ferrite inspect - --from kern --stage legal --isa x86-64-v4
--err--
error: kern: law K6: a lane has loops
  at kernel k_runs group 0: lanes r0 first v4
  help: this is a fault of ferrite's own: please report it with the program
--status-- 1
--run-- sed 's/sub v6, v5/any v1/' runs.legal | ferrite inspect - --from kern --stage legal --isa x86-64-v4
--err--
error: kern: law K2: one bool says whether any lane of a mask is set
  at kernel k_runs group 0: v7 : i64 = any v1
  help: this is a fault of ferrite's own: please report it with the program
--status-- 1
