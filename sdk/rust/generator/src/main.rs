//! Code generator: from the protocol to the Rust modules that the SDK commits.
//!
//! `generator DESCRIPTORS SDK_FOLDER` reads what protoc makes of the .proto files (`--descriptor_set_out`), and writes
//! `src/generated/` and, for the scripted server of the tests, `tests/scripted/generated/` below the second folder.

use std::{error::Error, fs, path::Path};

use prost::Message;
use tonic_prost_build::FileDescriptorSet;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [descriptors, sdk] = arguments.as_slice() else {
        return Err("write: generator DESCRIPTORS SDK_FOLDER".into());
    };
    let mut descriptors = FileDescriptorSet::decode(fs::read(descriptors)?.as_slice())?;

    let generated = Path::new(sdk).join("src/generated");
    fs::create_dir_all(&generated)?;
    tonic_prost_build::configure()
        .build_server(false)
        .build_transport(false)
        .emit_rerun_if_changed(false)
        .out_dir(&generated)
        .compile_fds(descriptors.clone())?;

    let service = Path::new(sdk).join("tests/scripted/generated");
    fs::create_dir_all(&service)?;
    let only_the_service = without_games(&descriptors);
    tonic_prost_build::configure()
        .build_client(false)
        .extern_path(".arena.v1", "arena::v1")
        .emit_rerun_if_changed(false)
        .out_dir(&service)
        .compile_fds(only_the_service)?;

    // For JSON: the names of all fields. Comments and places in the files are left out.
    for file in &mut descriptors.file {
        file.source_code_info = None;
    }
    fs::write(generated.join("descriptors.binpb"), descriptors.encode_to_vec())?;
    Ok(())
}

fn without_games(all: &FileDescriptorSet) -> FileDescriptorSet {
    let file = all.file.iter().filter(|file| file.package() == "arena.v1").cloned().collect();
    FileDescriptorSet { file }
}
