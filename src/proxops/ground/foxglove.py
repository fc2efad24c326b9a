"""Messages that Foxglove draws by itself: transforms, solids, camera calibration, images, points, marks; and two of our own.

Names, numbers and types of the fields are those that Foxglove publishes (foxglove-sdk, schemas/proto/foxglove); a viewer knows a
message by its full name. Parts that we never write (arrows, lines, texts, models, metadata of an entity) are left out,
as protobuf allows; their numbers stay free.
"""

from __future__ import annotations

from functools import cache
from typing import Any, Final

from google.protobuf.descriptor_pb2 import FieldDescriptorProto, FileDescriptorProto, FileDescriptorSet
from google.protobuf.duration_pb2 import DESCRIPTOR as DURATION_FILE
from google.protobuf.timestamp_pb2 import DESCRIPTOR as TIMESTAMP_FILE

from proxops.ground.schema import message_class

TRANSFORMS: Final = "foxglove.FrameTransforms"
SCENE: Final = "foxglove.SceneUpdate"
CALIBRATION: Final = "foxglove.CameraCalibration"
IMAGE: Final = "foxglove.CompressedImage"
RAW_IMAGE: Final = "foxglove.RawImage"
POINTS: Final = "foxglove.PointCloud"
ANNOTATIONS: Final = "foxglove.ImageAnnotations"
FACTS: Final = "proxops.ImageFacts"
FOUND: Final = "proxops.PoseFound"

Fields = dict[str, tuple[int, str]]  # name: number and type; a list is [type]
_XYZ: Final[Fields] = {"x": (1, "double"), "y": (2, "double"), "z": (3, "double")}
_TIME: Final = "google.protobuf.Timestamp"
MESSAGES: Final[dict[str, Fields]] = {
    "Vector3": _XYZ,
    "Quaternion": {**_XYZ, "w": (4, "double")},
    "Color": {"r": (1, "double"), "g": (2, "double"), "b": (3, "double"), "a": (4, "double")},
    "Pose": {"position": (1, "Vector3"), "orientation": (2, "Quaternion")},
    "FrameTransform": {
        "timestamp": (1, _TIME), "parent_frame_id": (2, "string"), "child_frame_id": (3, "string"),
        "translation": (4, "Vector3"), "rotation": (5, "Quaternion"),
    },
    "FrameTransforms": {"transforms": (1, "[FrameTransform]")},
    "CubePrimitive": {"pose": (1, "Pose"), "size": (2, "Vector3"), "color": (3, "Color")},
    "SpherePrimitive": {"pose": (1, "Pose"), "size": (2, "Vector3"), "color": (3, "Color")},
    "CylinderPrimitive": {
        "pose": (1, "Pose"), "size": (2, "Vector3"), "bottom_scale": (3, "double"), "top_scale": (4, "double"),
        "color": (5, "Color"),
    },
    "Point3": _XYZ,
    "TriangleListPrimitive": {"pose": (1, "Pose"), "points": (2, "[Point3]"), "color": (3, "Color"), "indices": (5, "[fixed32]")},
    "SceneEntity": {
        "timestamp": (1, _TIME), "frame_id": (2, "string"), "id": (3, "string"),
        "lifetime": (4, "google.protobuf.Duration"), "frame_locked": (5, "bool"),
        "cubes": (8, "[CubePrimitive]"), "spheres": (9, "[SpherePrimitive]"), "cylinders": (10, "[CylinderPrimitive]"),
        "triangles": (12, "[TriangleListPrimitive]"),
    },
    "SceneUpdate": {"entities": (2, "[SceneEntity]")},
    "CameraCalibration": {
        "timestamp": (1, _TIME), "width": (2, "fixed32"), "height": (3, "fixed32"), "distortion_model": (4, "string"),
        "D": (5, "[double]"), "K": (6, "[double]"), "R": (7, "[double]"), "P": (8, "[double]"), "frame_id": (9, "string"),
    },
    "CompressedImage": {
        "timestamp": (1, _TIME), "data": (2, "bytes"), "format": (3, "string"), "frame_id": (4, "string"),
    },
    "RawImage": {
        "timestamp": (1, _TIME), "width": (2, "fixed32"), "height": (3, "fixed32"), "encoding": (4, "string"),
        "step": (5, "fixed32"), "data": (6, "bytes"), "frame_id": (7, "string"),
    },
    "PackedElementField": {"name": (1, "string"), "offset": (2, "fixed32"), "type": (3, "NumericType")},
    "PointCloud": {
        "timestamp": (1, _TIME), "frame_id": (2, "string"), "pose": (3, "Pose"), "point_stride": (4, "fixed32"),
        "fields": (5, "[PackedElementField]"), "data": (6, "bytes"),
    },
    "Point2": {"x": (1, "double"), "y": (2, "double")},
    "PointsAnnotation": {
        "timestamp": (1, _TIME), "type": (2, "Type"), "points": (3, "[Point2]"), "outline_color": (4, "Color"),
        "thickness": (7, "double"),
    },
    "TextAnnotation": {
        "timestamp": (1, _TIME), "position": (2, "Point2"), "text": (3, "string"), "font_size": (4, "double"),
        "text_color": (5, "Color"), "background_color": (6, "Color"),
    },
    "ImageAnnotations": {"points": (2, "[PointsAnnotation]"), "texts": (3, "[TextAnnotation]")},
    "PoseFound": {
        "timestamp": (1, _TIME), "frame_id": (2, "string"), "number": (3, "fixed32"), "t": (4, "double"), "state": (5, "string"),
        "doubt": (6, "string"), "trust": (7, "double"), "searched": (8, "bool"), "T_sensor_target": (9, "Pose"),
        "covariance": (10, "[double]"), "T_sensor_target_true": (11, "Pose"),
    },
    "ImageFacts": {
        "timestamp": (1, _TIME), "frame_id": (2, "string"), "number": (3, "fixed32"), "t": (4, "double"),
        "exposure_s": (5, "double"), "gain_db": (6, "double"), "white": (7, "fixed32"), "T_sensor_target": (8, "Pose"),
    },
}  # fmt: skip
_OURS: Final = ("ImageFacts", "PoseFound")
"""Not Foxglove's; they may be made of what is."""
ENUMS: Final = {
    "Type": ("UNKNOWN", "POINTS", "LINE_LOOP", "LINE_STRIP", "LINE_LIST"),
    "NumericType": ("UNKNOWN", "UINT8", "INT8", "UINT16", "INT16", "UINT32", "INT32", "FLOAT32", "FLOAT64"),
}
"""Values from 0 on; each inside the one message that uses it."""
_KINDS: Final = {
    "double": FieldDescriptorProto.TYPE_DOUBLE,
    "string": FieldDescriptorProto.TYPE_STRING,
    "bytes": FieldDescriptorProto.TYPE_BYTES,
    "bool": FieldDescriptorProto.TYPE_BOOL,
    "fixed32": FieldDescriptorProto.TYPE_FIXED32,
}
_WELL_KNOWN: Final = {_TIME: TIMESTAMP_FILE, "google.protobuf.Duration": DURATION_FILE}


@cache
def foxglove_schema(name: str) -> bytes:
    """Serialised FileDescriptorSet of the message ``name``, one file each for it and whatever it is made of."""
    files: dict[str, Any] = {}
    _gather(name.rpartition(".")[2], files)
    data: bytes = FileDescriptorSet(file=files.values()).SerializeToString(deterministic=True)
    return data


def foxglove_message(name: str) -> Any:
    """Class of the message ``name``."""
    return message_class(foxglove_schema(name), name)


def _gather(name: str, files: dict[str, Any]) -> None:
    """The file of ``name`` behind those that it imports."""
    if name in files:
        return
    needed = sorted({kind.strip("[]") for _, kind in MESSAGES.get(name, {}).values()} - {*_KINDS, *ENUMS})
    for other in needed:
        _gather(other, files)
    files[name] = _known_file(name) if name in _WELL_KNOWN else _file(name, needed)


def _known_file(name: str) -> Any:
    file = FileDescriptorProto()
    _WELL_KNOWN[name].CopyToProto(file)
    return file


def _package(name: str) -> str:
    return "proxops" if name in _OURS else "foxglove"


def _file(name: str, needed: list[str]) -> Any:
    package = _package(name)
    file = FileDescriptorProto(name=f"{package}/{name}.proto", package=package, syntax="proto3")
    file.dependency.extend(_WELL_KNOWN[n].name if n in _WELL_KNOWN else f"{_package(n)}/{n}.proto" for n in needed)
    message = file.message_type.add(name=name)
    for field, (number, kind) in MESSAGES[name].items():
        label = FieldDescriptorProto.LABEL_REPEATED if kind.startswith("[") else FieldDescriptorProto.LABEL_OPTIONAL
        added = message.field.add(name=field, number=number, label=label)
        _give_type(added, kind.strip("[]"), message, package)
    return file


def _give_type(added: Any, kind: str, message: Any, package: str) -> None:
    if kind in _KINDS:
        added.type = _KINDS[kind]
    elif kind in ENUMS:
        values = message.enum_type.add(name=kind)
        for number, word in enumerate(ENUMS[kind]):
            values.value.add(name=word, number=number)
        added.type, added.type_name = FieldDescriptorProto.TYPE_ENUM, f".{package}.{message.name}.{kind}"
    else:
        added.type = FieldDescriptorProto.TYPE_MESSAGE
        added.type_name = f".{kind}" if kind in _WELL_KNOWN else f".{_package(kind)}.{kind}"
