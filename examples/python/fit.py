"""Fits a material to a record of its motion, as tracked in a video: points of a swinging bar at 50
pictures a second, with noise. Young's modulus and damping are found by Gauss and Newton, the
derivatives by differences."""
import numpy

import pliant

MESH = pliant.Mesh.generate("box", size=(0.3, 0.05, 0.05), cells=(8, 2, 2), element="hex")
TRACKED = [i for i, x in enumerate(MESH.nodes) if x[0] > 0.1 and abs(x[2] - 0.05) < 1e-9]


def film(young, damping, frames=25):
    """Where the tracked points are in each picture: frames x points x 2, as seen from the side."""
    rubber = pliant.Material(pliant.law.hooke(young=young, poisson=0.45), density=1100, stiffness_damping=damping)
    world = pliant.World(dt=0.01, integrator="bdf2", threads=1)
    bar = world.add_body(MESH, rubber)
    bar.fix("x-min")
    seen = []
    for _ in range(frames):
        world.step(2)
        seen.append(bar.positions[TRACKED][:, [0, 2]])
    return numpy.array(seen)


def fit(record, young=2e5, damping=5e-3, rounds=8):
    """Both numbers as logarithms, so that they stay positive."""
    x = numpy.log([young, damping])
    for _ in range(rounds):
        here = film(*numpy.exp(x), frames=len(record))
        slopes = []
        for k in range(2):
            beside = x.copy()
            beside[k] += 0.02
            slopes.append(((film(*numpy.exp(beside), frames=len(record)) - here) / 0.02).ravel())
        change = numpy.linalg.lstsq(numpy.array(slopes).T, (record - here).ravel(), rcond=None)[0]
        change = numpy.clip(change, -0.7, 0.7)
        x += change
        if abs(change).max() < 1e-3:
            break
    return numpy.exp(x)


def main(frames=25):
    noise = numpy.random.default_rng(1).normal(scale=2e-4, size=(frames, len(TRACKED), 2))
    record = film(4e5, 2e-3, frames) + noise
    young, damping = fit(record)
    print(f"found: Young's modulus {young:.3g} Pa (4e5 made the record), damping {damping:.2g} s (2e-3)")
    return young, damping


if __name__ == "__main__":
    main()
