# a text whose graph breaks a law is the text's fault, and no pass's
--run-- ferrite inspect --verify --stage loop - 2>&1
--in--
graph main {
  functional
  placeholder %x user "x" : f32[3]{1}@1
  %y = aten.exp.default(%x) : f32[3]{1}@2
  output (user_input_mutation "z" %y, user %y)
}
--out--
error: fx: F4: output 0 stands for the mutation of "z", which is no input of that kind (graph main)
  at %output in graph main
  help: the node is: output (user_input_mutation "z" %y, user %y)
--status-- 1
