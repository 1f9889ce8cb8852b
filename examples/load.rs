//! Loads an artifact and runs it on zeros: rustc load.rs && ./load ./model.so
//! The declarations are those of ferrite_abi.h.
use std::env;
use std::ffi::{c_char, c_int, c_void, CStr, CString};
use std::process::exit;
use std::ptr::{null, null_mut};

const ABI_VERSION: u32 = 1;

#[repr(C)]
struct Tensor {
    data: *mut c_void,
    dtype: u32,
    rank: u32,
    sizes: *const i64,
    strides: *const i64,
}

#[repr(C)]
struct Port {
    name: *const c_char,
    dtype: u32,
    rank: u32,
    sizes: *const i64,
    strides: *const i64,
    shape_text: *const c_char,
}

#[repr(C)]
struct Artifact {
    abi_version: u32,
    struct_bytes: u32,
    name: *const c_char,
    producer: *const c_char,
    inputs: *const Port,
    input_count: u32,
    outputs: *const Port,
    output_count: u32,
    weights_bytes: i64,
    arena_bytes: i64,
    arena_lower_bound: i64,
    kernel_calls: u32,
    unique_kernels: u32,
    open: extern "C" fn(*const c_char, *mut *mut c_void) -> c_int,
    open_memory: extern "C" fn(*const c_void, i64, *mut *mut c_void) -> c_int,
    close: extern "C" fn(*mut c_void),
    context_new: extern "C" fn(*const c_void, u32, *mut *mut c_void) -> c_int,
    context_free: extern "C" fn(*mut c_void),
    run: extern "C" fn(*mut c_void, *const Tensor, u32, *mut Tensor, u32) -> c_int,
    error: extern "C" fn(*const c_void) -> *const c_char,
}

extern "C" {
    fn dlopen(path: *const c_char, flags: c_int) -> *mut c_void;
    fn dlsym(library: *mut c_void, name: *const c_char) -> *mut c_void;
}

fn text(s: *const c_char) -> String {
    unsafe { CStr::from_ptr(s) }.to_string_lossy().into_owned()
}

fn fail(message: String) -> ! {
    eprintln!("{message}");
    exit(1)
}

fn load(path: &str) -> &'static Artifact {
    let file = CString::new(path).unwrap();
    let artifact: &'static Artifact = unsafe {
        let library = dlopen(file.as_ptr(), 2);
        let entry = if library.is_null() {
            null_mut()
        } else {
            dlsym(library, b"ferrite_artifact\0".as_ptr().cast())
        };
        if entry.is_null() {
            fail("usage: load ./MODEL.so".into());
        }
        &*std::mem::transmute::<*mut c_void, extern "C" fn() -> *const Artifact>(entry)()
    };
    if artifact.abi_version != ABI_VERSION {
        fail(format!(
            "{path} has ABI version {}, this program {ABI_VERSION}",
            artifact.abi_version
        ));
    }
    artifact
}

/// Memory and a tensor of the declared sizes, 1 where these are dynamic.
fn zeros(port: &Port) -> (Vec<u128>, Vec<i64>) {
    let sizes: Vec<i64> = (0..port.rank as usize)
        .map(|k| unsafe { *port.sizes.add(k) })
        .map(|size| if size < 0 { 1 } else { size })
        .collect();
    let elements: i64 = sizes.iter().product();
    (vec![0; elements as usize + 1], sizes)
}

fn main() {
    let a = load(&env::args().nth(1).unwrap_or_default());
    let (mut model, mut context) = (null_mut(), null_mut());
    if (a.open)(null(), &mut model) != 0 || (a.context_new)(model, 0, &mut context) != 0 {
        fail(text((a.error)(null())));
    }
    let ports = unsafe { std::slice::from_raw_parts(a.inputs, a.input_count as usize) };
    let mut memory: Vec<_> = ports.iter().map(zeros).collect();
    let inputs: Vec<Tensor> = ports
        .iter()
        .zip(&mut memory)
        .map(|(port, (data, sizes))| Tensor {
            data: data.as_mut_ptr().cast(),
            dtype: port.dtype,
            rank: port.rank,
            sizes: sizes.as_ptr(),
            strides: null(),
        })
        .collect();
    let mut outputs: Vec<Tensor> = (0..a.output_count)
        .map(|_| Tensor {
            data: null_mut(),
            dtype: 0,
            rank: 0,
            sizes: null(),
            strides: null(),
        })
        .collect();
    if (a.run)(
        context,
        inputs.as_ptr(),
        a.input_count,
        outputs.as_mut_ptr(),
        a.output_count,
    ) != 0
    {
        fail(text((a.error)(context)));
    }
    for (k, y) in outputs.iter().enumerate() {
        let name = text(unsafe { (*a.outputs.add(k)).name });
        let sizes: Vec<i64> = (0..y.rank as usize)
            .map(|d| unsafe { *y.sizes.add(d) })
            .collect();
        println!("{name}: {sizes:?}, first value at {:?}", y.data);
    }
    (a.context_free)(context);
    (a.close)(model);
}
