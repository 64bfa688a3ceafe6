"""Pictures of digits, 28 x 28, drawn from strokes with a seed: nothing is downloaded."""

import math
from typing import Any, List, Tuple

import numpy as np

SIDE = 28
Point = Tuple[float, float]


def arc(centre: Point, radii: Point, angles: Point, parts: int) -> List[Point]:
    """Return points on an ellipse from one angle to another, in degrees, clockwise from the right."""
    (cx, cy), (rx, ry), (start, end) = centre, radii, angles
    turns = [math.radians(start + (end - start) * i / parts) for i in range(parts + 1)]
    return [(cx + rx * math.cos(a), cy + ry * math.sin(a)) for a in turns]


# Each digit's strokes in a square from -1 to 1, y downwards.
STROKES = (
    (arc((0, 0), (0.6, 0.9), (0, 360), 12),),
    ([(-0.35, -0.5), (0.05, -0.9), (0.05, 0.9)],),
    ([*arc((0, -0.4), (0.55, 0.5), (180, 380), 6), (-0.55, 0.9), (0.6, 0.9)],),
    ([*arc((-0.05, -0.45), (0.5, 0.45), (200, 450), 5), *arc((-0.05, 0.45), (0.58, 0.45), (270, 520), 6)],),
    ([(0.25, 0.9), (0.25, -0.9), (-0.6, 0.3), (0.65, 0.3)],),
    ([(0.5, -0.9), (-0.4, -0.9), (-0.45, -0.1), *arc((-0.02, 0.32), (0.55, 0.55), (230, 510), 7)],),
    ([(0.35, -0.9), (-0.3, -0.2), *arc((0, 0.4), (0.5, 0.5), (200, 560), 9)],),
    ([(-0.55, -0.9), (0.55, -0.9), (-0.1, 0.9)], [(-0.3, 0), (0.4, 0)]),
    (arc((0, -0.45), (0.42, 0.42), (90, 450), 7), arc((0, 0.45), (0.52, 0.45), (270, 630), 8)),
    ([*arc((0, -0.4), (0.5, 0.5), (20, 380), 9), (0.35, 0.9)],),
)


def draw(count: int, seed: int) -> Tuple[Any, Any]:
    """Return `count` pictures, float32 (count, 28, 28, 1) from 0 to 1, and their digits, int64 (count,)."""
    random = np.random.RandomState(seed)
    labels = np.arange(count) % 10
    pictures = np.zeros((count, SIDE, SIDE, 1), "float32")
    for digit in range(10):
        places = np.flatnonzero(labels == digit)
        for begin in range(0, len(places), 256):
            some = places[begin : begin + 256]
            pictures[some] = _sheet(digit, len(some), random)
    order = random.permutation(count)
    return pictures[order], labels[order].astype("int64")


def _sheet(digit: int, count: int, random: Any) -> Any:
    """Draw one digit `count` times: turned, stretched, slanted, moved, thick or thin, and noisy."""
    y, x = np.mgrid[0:SIDE, 0:SIDE].astype("float32").reshape(2, 1, -1)
    nearest = np.full((count, SIDE * SIDE), 1e6, "float32")
    hand = _hands(count, random)
    for stroke in STROKES[digit]:
        ends = _write(np.array(stroke), hand, random).astype("float32")
        for i in range(len(stroke) - 1):
            np.minimum(nearest, _distance(x, y, ends[:, i], ends[:, i + 1]), out=nearest)
    width = random.uniform(0.7, 1.5, (count, 1))
    ink = np.clip(1.0 + width - np.sqrt(nearest), 0, 1) * random.uniform(0.6, 1, (count, 1))
    ink += random.normal(0, 0.08, ink.shape)
    return np.clip(ink, 0, 1).reshape(count, SIDE, SIDE, 1).astype("float32")


def _hands(count: int, random: Any) -> Any:
    """Return a 2 x 2 matrix and a shift for each picture: how this hand writes."""
    turn = random.uniform(-0.25, 0.25, count)
    wide, tall = random.uniform(6.5, 10, count), random.uniform(8, 11, count)
    slant = random.uniform(-0.25, 0.25, count)
    cos, sin = np.cos(turn), np.sin(turn)
    matrix = np.array([[cos * wide, -sin * tall + slant * wide], [sin * wide, cos * tall]]).transpose(2, 0, 1)
    return matrix, (SIDE - 1) / 2 + random.uniform(-2, 2, (count, 1, 2))


def _write(stroke: Any, hand: Any, random: Any) -> Any:
    matrix, shift = hand
    shaky = stroke + random.normal(0, 0.04, (len(matrix), *stroke.shape))
    return np.einsum("nij,npj->npi", matrix, shaky) + shift


def _distance(x: Any, y: Any, start: Any, end: Any) -> Any:
    """Return each pixel's squared distance from a line, (count, pixels)."""
    dx, dy = (end - start).T[:, :, None]
    ux, uy = x - start[:, :1], y - start[:, 1:]
    along = np.clip((ux * dx + uy * dy) / (dx * dx + dy * dy + 1e-6), 0, 1)
    return np.square(ux - along * dx) + np.square(uy - along * dy)
