"""`grpc.reflection.v1`: the messages of `v1alpha` under their later name, byte for byte the same on the wire.

The library that answers knows `v1alpha` alone. Newer clients ask for `v1` first, and some ask for nothing else.
"""

from __future__ import annotations

from google.protobuf import descriptor_pb2, descriptor_pool
from google.protobuf.descriptor import ServiceDescriptor
from grpc_reflection.v1alpha import reflection_pb2

OLDER, NEWER = "grpc.reflection.v1alpha", "grpc.reflection.v1"
FILE = "grpc/reflection/v1/reflection.proto"


def service() -> ServiceDescriptor:
    """The service `grpc.reflection.v1.ServerReflection`, described in the pool in which reflection looks things up."""
    pool = descriptor_pool.Default()
    try:
        return pool.FindServiceByName(f"{NEWER}.ServerReflection")
    except KeyError:
        pool.AddSerializedFile(_described().SerializeToString())
        return pool.FindServiceByName(f"{NEWER}.ServerReflection")


def _described() -> descriptor_pb2.FileDescriptorProto:
    file = descriptor_pb2.FileDescriptorProto()
    reflection_pb2.DESCRIPTOR.CopyToProto(file)
    file.name, file.package = FILE, NEWER
    for message in file.message_type:
        for field in message.field:
            if field.type_name:
                field.type_name = _renamed(field.type_name)
    for method in [method for service in file.service for method in service.method]:
        method.input_type, method.output_type = _renamed(method.input_type), _renamed(method.output_type)
    return file


def _renamed(name: str) -> str:
    return name.replace(f".{OLDER}.", f".{NEWER}.")
