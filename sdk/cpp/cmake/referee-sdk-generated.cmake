# Which generated code to compile: what is committed, if the protobuf of this machine has the version it was made with;
# or else new code in the build folder, for generated code and protobuf's headers must be of one version.
set(REFEREE_SDK_PROTOBUF 3.21.12)
set(protos arena/v1/result arena/v1/match)
foreach(game encore flip7 stop stop_me_go)
  list(APPEND protos arena/games/${game}/v1/${game})
endforeach()

if(Protobuf_VERSION VERSION_EQUAL REFEREE_SDK_PROTOBUF)
  set(REFEREE_SDK_GENERATED ${CMAKE_CURRENT_SOURCE_DIR}/generated)
else()
  set(REFEREE_SDK_GENERATED ${CMAKE_CURRENT_BINARY_DIR}/generated)
  file(MAKE_DIRECTORY ${REFEREE_SDK_GENERATED})
  set(proto_folder ${CMAKE_CURRENT_SOURCE_DIR}/proto)
  find_program(REFEREE_SDK_PROTOC protoc REQUIRED)
  find_program(REFEREE_SDK_GRPC_PLUGIN grpc_cpp_plugin REQUIRED)
  message(STATUS "protobuf here is ${Protobuf_VERSION}, the committed code is for ${REFEREE_SDK_PROTOBUF}: generating")
endif()

set(REFEREE_SDK_GENERATED_SOURCES)
foreach(proto IN LISTS protos)
  set(made ${REFEREE_SDK_GENERATED}/${proto}.pb.cc)
  set(grpc_out)
  if(proto STREQUAL "arena/v1/match")
    list(APPEND made ${REFEREE_SDK_GENERATED}/${proto}.grpc.pb.cc)
    set(grpc_out --grpc_out=${REFEREE_SDK_GENERATED} --plugin=protoc-gen-grpc=${REFEREE_SDK_GRPC_PLUGIN})
  endif()
  list(APPEND REFEREE_SDK_GENERATED_SOURCES ${made})
  if(proto_folder)
    string(REPLACE ".cc" ".h" headers "${made}")
    add_custom_command(
      OUTPUT ${made} ${headers}
      COMMAND ${REFEREE_SDK_PROTOC} -I ${proto_folder} --cpp_out=${REFEREE_SDK_GENERATED} ${grpc_out} ${proto}.proto
      DEPENDS ${proto_folder}/${proto}.proto
      VERBATIM)
  endif()
endforeach()
