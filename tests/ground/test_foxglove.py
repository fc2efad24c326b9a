"""Our descriptors of Foxglove's messages, field by field as Foxglove publishes them."""

from __future__ import annotations

from typing import Any

import pytest
from google.protobuf.descriptor_pb2 import FieldDescriptorProto, FileDescriptorSet

from proxops.ground.foxglove import (
    CALIBRATION,
    FACTS,
    IMAGE,
    POINTS,
    RAW_IMAGE,
    SCENE,
    TRANSFORMS,
    foxglove_message,
    foxglove_schema,
)  # fmt: skip

# foxglove-sdk, schemas/proto/foxglove/*.proto. Of an entity and an update we have a part only.
PUBLISHED = {
    "Vector3": "double x = 1; double y = 2; double z = 3",
    "Quaternion": "double x = 1; double y = 2; double z = 3; double w = 4",
    "Color": "double r = 1; double g = 2; double b = 3; double a = 4",
    "Pose": "foxglove.Vector3 position = 1; foxglove.Quaternion orientation = 2",
    "FrameTransform": "google.protobuf.Timestamp timestamp = 1; string parent_frame_id = 2; string child_frame_id = 3; "
    "foxglove.Vector3 translation = 4; foxglove.Quaternion rotation = 5",
    "FrameTransforms": "repeated foxglove.FrameTransform transforms = 1",
    "CubePrimitive": "foxglove.Pose pose = 1; foxglove.Vector3 size = 2; foxglove.Color color = 3",
    "SpherePrimitive": "foxglove.Pose pose = 1; foxglove.Vector3 size = 2; foxglove.Color color = 3",
    "CylinderPrimitive": "foxglove.Pose pose = 1; foxglove.Vector3 size = 2; double bottom_scale = 3; "
    "double top_scale = 4; foxglove.Color color = 5",
    "Point3": "double x = 1; double y = 2; double z = 3",
    "TriangleListPrimitive": "foxglove.Pose pose = 1; repeated foxglove.Point3 points = 2; foxglove.Color color = 3; "
    "repeated fixed32 indices = 5",
    "SceneEntity": "google.protobuf.Timestamp timestamp = 1; string frame_id = 2; string id = 3; "
    "google.protobuf.Duration lifetime = 4; bool frame_locked = 5; repeated foxglove.CubePrimitive cubes = 8; "
    "repeated foxglove.SpherePrimitive spheres = 9; repeated foxglove.CylinderPrimitive cylinders = 10; "
    "repeated foxglove.TriangleListPrimitive triangles = 12",
    "SceneUpdate": "repeated foxglove.SceneEntity entities = 2",
    "CameraCalibration": "google.protobuf.Timestamp timestamp = 1; fixed32 width = 2; fixed32 height = 3; "
    "string distortion_model = 4; repeated double D = 5; repeated double K = 6; repeated double R = 7; "
    "repeated double P = 8; string frame_id = 9",
    "RawImage": "google.protobuf.Timestamp timestamp = 1; fixed32 width = 2; fixed32 height = 3; string encoding = 4; "
    "fixed32 step = 5; bytes data = 6; string frame_id = 7",
    "PackedElementField": "string name = 1; fixed32 offset = 2; foxglove.PackedElementField.NumericType type = 3",
    "PointCloud": "google.protobuf.Timestamp timestamp = 1; string frame_id = 2; foxglove.Pose pose = 3; "
    "fixed32 point_stride = 4; repeated foxglove.PackedElementField fields = 5; bytes data = 6",
    "CompressedImage": "google.protobuf.Timestamp timestamp = 1; bytes data = 2; string format = 3; string frame_id = 4",
}

KINDS = [TRANSFORMS, SCENE, CALIBRATION, IMAGE, RAW_IMAGE, POINTS]


def spelled(field: Any) -> str:
    """A field as a .proto file has it."""
    kind = FieldDescriptorProto
    repeated = "repeated " if field.label == kind.LABEL_REPEATED else ""
    word = kind.Type.Name(field.type).removeprefix("TYPE_").lower()
    return f"{repeated}{field.type_name.removeprefix('.') or word} {field.name} = {field.number}"


@pytest.mark.parametrize("name", KINDS)
def test_fields_are_foxgloves(name: str) -> None:
    files = {file.name: file for file in FileDescriptorSet.FromString(foxglove_schema(name)).file}
    assert f"foxglove/{name.removeprefix('foxglove.')}.proto" in files
    for path, file in files.items():
        assert set(file.dependency) <= set(files), path
        if path.startswith("foxglove/"):
            (message,) = file.message_type
            assert (file.package, file.syntax, path) == ("foxglove", "proto3", f"foxglove/{message.name}.proto")
            assert "; ".join(map(spelled, message.field)) == PUBLISHED[message.name]


@pytest.mark.parametrize("name", KINDS)
def test_files_stand_behind_what_they_import(name: str) -> None:
    """As readers in other languages want a set of descriptors."""
    seen: set[str] = set()
    for file in FileDescriptorSet.FromString(foxglove_schema(name)).file:
        assert set(file.dependency) <= seen
        seen.add(file.name)
    assert foxglove_message(name).DESCRIPTOR.full_name == name


def test_numbers_of_kinds_are_foxgloves() -> None:
    """PackedElementField.proto: UNKNOWN 0 to FLOAT64 8."""
    field = foxglove_message(POINTS).DESCRIPTOR.fields_by_name["fields"].message_type.fields_by_name["type"]
    values = {value.name: value.number for value in field.enum_type.values}
    assert (values["UNKNOWN"], values["UINT8"], values["UINT16"], values["FLOAT32"], values["FLOAT64"]) == (
        0,
        1,
        3,
        7,
        8,
    )


def test_our_own_message_is_made_of_foxgloves() -> None:
    facts = foxglove_message(FACTS)
    assert facts.DESCRIPTOR.full_name == "proxops.ImageFacts"
    assert facts.DESCRIPTOR.fields_by_name["T_sensor_target"].message_type.full_name == "foxglove.Pose"
    assert not facts().HasField("T_sensor_target")
