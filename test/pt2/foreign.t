# what is no exported program is told by its name, with the lines that export it
--once--
--run-- printf '\010\007\022\007pytorch:\002\012\000' >m.onnx; printf '\002\000\000\000\000\000\000\000{}' >w.safetensors; printf '\177ELF\002\001\001' >m.so; printf 'GGUF\003' >m.gguf; for f in m.onnx w.safetensors m.so m.gguf; do ferrite compile $f -o out.so; done; test ! -e out.so
--err--
error: pt2: this is no exported program, but an ONNX model
  at m.onnx
  help: export the module that it was made from:
      program = torch.export.export(model.eval(), (x,))   # x: an example of its input
      torch.export.save(program, "model.pt2")
error: pt2: this is no exported program, but a file of safetensors: weights without a program
  at w.safetensors
  help: load it into its module, model.load_state_dict(safetensors.torch.load_file(path)), and export that:
      program = torch.export.export(model.eval(), (x,))   # x: an example of its input
      torch.export.save(program, "model.pt2")
error: pt2: this is no exported program, but a compiled library
  at m.so
  help: a library that ferrite made is loaded as it is: ferrite.load(path) in Python, dlopen() in C
error: pt2: this is no exported program, but a GGUF file: weights without a program
  at m.gguf
  help: export the module that it was made from:
      program = torch.export.export(model.eval(), (x,))   # x: an example of its input
      torch.export.save(program, "model.pt2")
--run-- python3 make.py; for f in ts.pt sd.pth checkpoint.pt module.pt tensor.pt aoti.pt2 old.pth old_module.pth; do ferrite compile $f -o out.so; done
--file make.py--
import zipfile as z
def make(path, how, *records):
    with z.ZipFile(path, "w", how) as f:
        for name, data in records: f.writestr("m/" + name, data)
make("ts.pt", z.ZIP_DEFLATED, ("data.pkl", b"\x80\x02c__torch__\nNet\n"), ("code/__torch__.py", "def forward(self): pass\n" * 9), ("constants.pkl", b"\x80\x02)."))
make("sd.pth", z.ZIP_STORED, ("data.pkl", b"\x80\x02ccollections\nOrderedDict\nq\x00)R."), ("version", "3\n"))
make("checkpoint.pt", z.ZIP_STORED, ("data.pkl", b"\x80\x02}q\x00(X\x01\x00\x00\x00a."), ("version", "3\n"))
make("module.pt", z.ZIP_STORED, ("data.pkl", b"\x80\x02cmy.models\nNet\nq\x00)\x81q\x01."), ("version", "3\n"))
make("tensor.pt", z.ZIP_STORED, ("data.pkl", b"\x80\x02ctorch._utils\n_rebuild_tensor_v2\nq\x00."), ("version", "3\n"))
make("aoti.pt2", z.ZIP_STORED, ("data/aotinductor/model/a.wrapper.so", b"\x7fELF"), ("archive_format", "pt2"), ("archive_version", "0"))
old = b"\x80\x02\x8a\nl\xfc\x9cF\xf9 j\xa8P\x19.\x80\x02M\xe9\x03.\x80\x02}q\x00."
open("old.pth", "wb").write(old + b"\x80\x02ccollections\nOrderedDict\nq\x00)R.")
open("old_module.pth", "wb").write(old + b"\x80\x02(X\x06\x00\x00\x00moduleq\x00c__main__\nNet\nq\x01tQ.")
--err--
error: pt2: this is no exported program, but a TorchScript module
  at ts.pt
  help: export the module that it was made from:
      program = torch.export.export(model.eval(), (x,))   # x: an example of its input
      torch.export.save(program, "model.pt2")
error: pt2: this is no exported program, but weights without a program, as torch.save writes a state dict
  at sd.pth
  help: load it into its module, model.load_state_dict(torch.load(path)), and export that:
      program = torch.export.export(model.eval(), (x,))   # x: an example of its input
      torch.export.save(program, "model.pt2")
error: pt2: this is no exported program, but weights without a program, as torch.save writes a state dict
  at checkpoint.pt
  help: load it into its module, model.load_state_dict(torch.load(path)), and export that:
      program = torch.export.export(model.eval(), (x,))   # x: an example of its input
      torch.export.save(program, "model.pt2")
error: pt2: this is no exported program, but a pickled object of the class my.models.Net, as torch.save writes a module
  at module.pt
  help: load it where its class is known, model = torch.load(path, weights_only=False), and export that:
      program = torch.export.export(model.eval(), (x,))   # x: an example of its input
      torch.export.save(program, "model.pt2")
error: pt2: this is no exported program, but a tensor that torch.save has written
  at tensor.pt
  help: inputs are given to the compiled program, not to the compiler
error: pt2: this is no exported program, but a package of AOTInductor, which holds machine code and no program
  at aoti.pt2
  help: save the exported program that it was compiled from:
      program = torch.export.export(model.eval(), (x,))   # x: an example of its input
      torch.export.save(program, "model.pt2")
error: pt2: this is no exported program, but weights without a program, as torch.save writes a state dict
  at old.pth
  help: load it into its module, model.load_state_dict(torch.load(path)), and export that:
      program = torch.export.export(model.eval(), (x,))   # x: an example of its input
      torch.export.save(program, "model.pt2")
error: pt2: this is no exported program, but a pickled object of the class __main__.Net, as torch.save writes a module
  at old_module.pth
  help: load it where its class is known, model = torch.load(path, weights_only=False), and export that:
      program = torch.export.export(model.eval(), (x,))   # x: an example of its input
      torch.export.save(program, "model.pt2")
--status-- 1
