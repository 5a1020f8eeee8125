//! Code generator: from the .proto files to the Rust modules that the SDK commits. Needs no protoc.
//!
//! `generator PROTO_FOLDER SDK_FOLDER` writes `src/generated/` and, for the scripted server of the tests,
//! `tests/scripted/generated/` below the second folder.

use std::{error::Error, fs, path::Path};

use prost::Message;
use tonic_prost_build::FileDescriptorSet;

const FILES: [&str; 5] = [
    "arena/v1/match.proto",
    "arena/games/encore/v1/encore.proto",
    "arena/games/flip7/v1/flip7.proto",
    "arena/games/stop/v1/stop.proto",
    "arena/games/stop_me_go/v1/stop_me_go.proto",
];

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [protos, sdk] = arguments.as_slice() else {
        return Err("write: generator PROTO_FOLDER SDK_FOLDER".into());
    };
    let mut descriptors = protox::compile(FILES, [protos])?;

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
