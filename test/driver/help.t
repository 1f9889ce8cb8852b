# each command says what it takes; what it does not take is answered with what was meant
--run-- ferrite help; for c in run compile inspect check bench plan; do ferrite help $c >a; ferrite $c --help >b; cmp a b && head -1 a; done; ferrite --version
--out--
ferrite 0.1: compiles PyTorch programs to C

  ferrite run      compiles a program, runs it, writes its outputs
  ferrite compile  makes a shared library, C sources, a Python module or an FX graph of a program
  ferrite inspect  shows a stage of the compiler as text
  ferrite check    compares programs with their recorded metadata and outputs
  ferrite bench    times a program: compile, load, calls on 1 to N threads
  ferrite plan     plans memory for a file of buffers: lines of id,lower,upper,size
  ferrite report   writes a page about a program: memory over time, kernels, provenance
  ferrite cache    says what the cache of made libraries holds, or clears it

'ferrite help COMMAND' says more.
usage: ferrite run MODEL.pt2 [--inputs IN.safetensors | --input A.npy ...] [--outputs OUT.safetensors]
usage: ferrite compile MODEL.pt2 -o MODEL.so
usage: ferrite inspect MODEL.pt2|FILE.fx|- --stage read|fx|loop|sched|kern|legal|plan|plot|wrap|c|device|python|graph|provenance
usage: ferrite check PATH... [--json REPORT] [--jobs N] [--metadata] [--replace-parts]
usage: ferrite bench MODEL.pt2 [--inputs IN.safetensors | --input A.npy ...] [--threads N]
usage: ferrite plan FILE.csv|- [--capacity BYTES] [--budget-ms MS] [-o OFFSETS.csv]
ferrite 0.1
--run-- ferrite help compile
--out--
usage: ferrite compile MODEL.pt2 -o MODEL.so
       ferrite compile MODEL.pt2 -o libMODEL.a
       ferrite compile PROMPT.pt2 STEP.pt2 -o MODEL.so
       ferrite compile MODEL.pt2 -o DIR/
       ferrite compile MODEL.pt2 -o MODEL.py
       ferrite compile MODEL.pt2 -o MODEL.json

makes a shared library, C sources, a Python module or an FX graph of a program

  -o PATH               what is to be made
  --emit so|a|c|python|fx
                        so: a shared library, and a header beside it; a: an archive to link into a
                        program, with weights beside it; c: C sources, weights and a Makefile
                        (default for DIR/); python: a module, its kernels and what it imports (for
                        .py); fx: the same as a graph for torch.fx (for .json)
  --provenance FILE     also writes what each line and kernel comes from, as JSON (inspect --stage
                        provenance)
  --quiet               says nothing of what was made
  --isa NAME            instruction set, the most that what is made uses; native: this machine's;
                        scalar: plain C11 (default: $FERRITE_ISA, then native)
  --name NAME           what the program is called (default: as its file); its function is
                        ferrite_artifact_NAME, so that several can be linked into one program
  --cc CC               the C compiler, arguments may follow its name (default: $CC, then cc)
  --cache DIR           folder where made libraries are found again, or '' for none
  --lapack FLAGS        how to link LAPACK where a program needs it, or none (default:
                        $FERRITE_LAPACK, then -llapack or -lopenblas)
  --jobs N              C compilers at work at once (default: one for each processor)
  --model NAME          which program of an archive with several
  --from STAGE          the input is the text of this stage
  --ops LIBRARY         operators of your own (ferrite_ops.h); may be given several times
  --device DEVICE       cpu: the program is made for the cpu, whatever devices it was exported with;
                        opencl, or another one (its number behind a colon): what there are kernels
                        for runs there; a name that there is not lists them
  --device-ports        inputs and outputs of a program that goes to a device (option device) are in
                        its memory too, and not the host's
  --place NAME=DEVICE   operators, or modules, by name (mul*, encoder.layers.*) run on this device;
                        may be given several times, the last one that matches decides
  --cuda-arch N,...     kernels of cuda are made for these architectures when the program is
                        compiled, by NVRTC: 80,90; none: when it is opened; without it: once for
                        all, where NVRTC is found
  --nan-check           what is made fails at the first input, result or output that holds NaN, and
                        says where that is from
  --inf-check           likewise for NaN and infinity, which masks hold on purpose
  --max-arena           memory for the largest sizes from the start: a context allocates once
  --donate INPUT        the program may overwrite this input when it is done with it (INPUT?: where
                        it may), or (all) every one; may be given several times
  --memory-budget BYTES working memory to keep to, at the cost of doing things twice: 300000, 64M
  --split WHERE         cut the program into parts: nodes=N, op=PATTERN,..., module=PATTERN,...,
                        tag=PATTERN,..., device or observer
  --part N              compile part N alone, as a program of its own
  --profile             the artifact keeps the time of each step of a run
  --passes LIBRARY      passes of your own (ferrite_passes.h); may be given several times;
                        --no-passes: leave the graph as it was exported
  --tune                time several variants of each kernel on this machine and take the fastest;
                        the cache keeps what came out
  --tune-budget-ms MS   to spend on that, the C compiler included (default: 30000); 0: what the
                        cache has, and no more
  --direct-convolution  no convolution goes by Winograd's algorithm: weights take less memory and
                        sums are more precise, at the cost of time
  --quantize BITS       weights of linear layers become integers, int8 or int4, or stay (float);
                        int8-dynamic: activations are made int8 too, row by row; NAME=BITS: those of
                        a weight or module by name (layers.*, lm_head); may be given several times,
                        the last one that matches decides
  --verify              check the graph after every pass
  --dump-after PASS     show the graph after this pass, or after all
--run-- ferrite; echo status $?; ferrite inpsect x; echo status $?; ferrite run; echo status $?
--out--
status 2
status 2
status 2
--err--
ferrite 0.1: compiles PyTorch programs to C

  ferrite run      compiles a program, runs it, writes its outputs
  ferrite compile  makes a shared library, C sources, a Python module or an FX graph of a program
  ferrite inspect  shows a stage of the compiler as text
  ferrite check    compares programs with their recorded metadata and outputs
  ferrite bench    times a program: compile, load, calls on 1 to N threads
  ferrite plan     plans memory for a file of buffers: lines of id,lower,upper,size
  ferrite report   writes a page about a program: memory over time, kernels, provenance
  ferrite cache    says what the cache of made libraries holds, or clears it

'ferrite help COMMAND' says more.
ferrite: there is no command 'inpsect'; did you mean 'inspect'?
'ferrite help' lists them.
usage: ferrite run MODEL.pt2 [--inputs IN.safetensors | --input A.npy ...] [--outputs OUT.safetensors]
                  [--output-dir DIR] [--threads N] [--repeat N] [--json]

compiles a program, runs it, writes its outputs

  --inputs IN.safetensors
                        inputs in.0, in.1, ... of one file (default: what the program was exported
                        with)
  --input A.npy         one input; for each in turn
  --outputs OUT.safetensors
                        writes out.0, out.1, ...
  --output-dir DIR      writes DIR/0.npy, DIR/1.npy, ...
  --threads N           of a call (default: one for each processor)
  --repeat N            calls to time after the first one
  --json                times and sizes as one JSON object
  --isa NAME            instruction set, the most that what is made uses; native: this machine's;
                        scalar: plain C11 (default: $FERRITE_ISA, then native)
  --cc CC               the C compiler, arguments may follow its name (default: $CC, then cc)
  --cache DIR           folder where made libraries are found again, or '' for none
  --lapack FLAGS        how to link LAPACK where a program needs it, or none (default:
                        $FERRITE_LAPACK, then -llapack or -lopenblas)
  --jobs N              C compilers at work at once (default: one for each processor)
  --model NAME          which program of an archive with several
  --from STAGE          the input is the text of this stage
  --ops LIBRARY         operators of your own (ferrite_ops.h); may be given several times
  --target TARGET       what is run here: the C of the program, or (process) its lines as they are,
                        around compiled kernels
  --device DEVICE       cpu: the program is made for the cpu, whatever devices it was exported with;
                        opencl, or another one (its number behind a colon): what there are kernels
                        for runs there; a name that there is not lists them
  --device-ports        inputs and outputs of a program that goes to a device (option device) are in
                        its memory too, and not the host's
  --place NAME=DEVICE   operators, or modules, by name (mul*, encoder.layers.*) run on this device;
                        may be given several times, the last one that matches decides
  --devices LIBRARY     a driver of a device of your own, privateuseone (ferrite_device.h), for what
                        is run here; may be given several times
  --cuda-arch N,...     kernels of cuda are made for these architectures when the program is
                        compiled, by NVRTC: 80,90; none: when it is opened; without it: once for
                        all, where NVRTC is found
  --artifact LIBRARY    run this one, made of the program earlier, in place of one that is made now
  --no-cc               run it without a C compiler: kernels are interpreted, which is slow
  --nan-check           what is made fails at the first input, result or output that holds NaN, and
                        says where that is from
  --inf-check           likewise for NaN and infinity, which masks hold on purpose
  --lifecycle-check     a run here fails where a buffer's memory is not as planned: used when dead,
                        shared, left over, of another size
  --bisect              a run here fails at the first kernel or operator whose result leaves what an
                        interpreter makes of the same inputs; slow
  --dump-buffers        a run here shows each result on stderr: its buffer, node, shape and what its
                        numbers come to
  --dump-dir DIR        likewise, and writes DIR/BUFFER.npy
  --max-arena           memory for the largest sizes from the start: a context allocates once
  --donate INPUT        the program may overwrite this input when it is done with it (INPUT?: where
                        it may), or (all) every one; may be given several times
  --memory-budget BYTES working memory to keep to, at the cost of doing things twice: 300000, 64M
  --split WHERE         cut the program into parts: nodes=N, op=PATTERN,..., module=PATTERN,...,
                        tag=PATTERN,..., device or observer
  --part N              compile part N alone, as a program of its own
  --passes LIBRARY      passes of your own (ferrite_passes.h); may be given several times;
                        --no-passes: leave the graph as it was exported
  --tune                time several variants of each kernel on this machine and take the fastest;
                        the cache keeps what came out
  --tune-budget-ms MS   to spend on that, the C compiler included (default: 30000); 0: what the
                        cache has, and no more
  --direct-convolution  no convolution goes by Winograd's algorithm: weights take less memory and
                        sums are more precise, at the cost of time
  --quantize BITS       weights of linear layers become integers, int8 or int4, or stay (float);
                        int8-dynamic: activations are made int8 too, row by row; NAME=BITS: those of
                        a weight or module by name (layers.*, lm_head); may be given several times,
                        the last one that matches decides
  --verify              check the graph after every pass
  --dump-after PASS     show the graph after this pass, or after all
--run-- ferrite run a.pt2 --inptu x; ferrite run --output-dri out a.pt2; ferrite run a.pt2 --zzz; ferrite compile a.pt2 -o; ferrite compile a.pt2; ferrite compile a.pt2 -o b --emit cuda; ferrite run a.pt2 b.pt2; ferrite run a.pt2 --threads many; ferrite check a --jobs=-1; ferrite run --json=yes a.pt2; ferrite run a.pt2 --isa v3; ferrite inspect a.pt2 --stage lop; ferrite help runn
--err--
ferrite run: there is no option --inptu; did you mean --input?
'ferrite help run' says more.
ferrite run: there is no option --output-dri; did you mean --output-dir?
'ferrite help run' says more.
ferrite run: there is no option --zzz
'ferrite help run' says more.
ferrite compile: -o needs a value: PATH
'ferrite help compile' says more.
ferrite compile: -o is missing: the library to make
'ferrite help compile' says more.
ferrite compile: --emit is so, a, c, python or fx, not 'cuda'
'ferrite help compile' says more.
ferrite run: one at a time: 'a.pt2' and 'b.pt2'
'ferrite help run' says more.
ferrite run: --threads takes a number, not 'many'
'ferrite help run' says more.
ferrite check: --jobs takes a number, not '-1'
'ferrite help check' says more.
ferrite run: --json takes no value
'ferrite help run' says more.
error: option: isa is one of native, x86-64-v4, x86-64-v3, baseline, scalar, not 'v3'
  help: did you mean 'x86-64-v3'?
error: inspect: there is no stage 'lop'; there are read, fx, loop, sched, plan, plot, wrap, kern, legal, variants, device, c, python, graph, provenance
  help: did you mean 'loop'?
ferrite: there is no command 'runn'; did you mean 'run'?
'ferrite help' lists them.
--status-- 2
