"""A batch of worlds for learning: evolution finds how a soft arm must be driven so that its tip
comes to rest at a target. Every candidate is a world of its own; all are stepped side by side, and
each generation starts from the same bits."""
import numpy

import pliant

TARGET = numpy.array([0.28, 0.1])  # x and z of the tip, m


def make():
    """An arm that is turned at its root; gravity is off, so that it works in a plane."""
    world = pliant.World(dt=0.02, threads=1, gravity=(0, 0, 0))
    soft = pliant.Material(pliant.law.hooke(young=2e5, poisson=0.3), density=1000, stiffness_damping=0.01, mass_damping=2)
    mesh = pliant.Mesh.generate("box", size=(0.3, 0.03, 0.03), cells=(10, 1, 1), element="hex")
    arm = world.add_body(mesh, soft, name="arm")
    arm.fix("x-min")
    return world


def reward(world):
    """The nearer the tip, the better."""
    tip = world.body("arm").positions[-1, [0, 2]]
    return -float(numpy.linalg.norm(tip - TARGET))


def evaluate(worlds, start, actions, steps=25):
    """Each world gets one action, a force on every node in N, and is stepped to the end."""
    for world, action in zip(worlds, actions):
        world.load(start)
        arm = world.body("arm")
        forces = numpy.zeros_like(arm.positions)
        forces[:, 0], forces[:, 2] = action
        arm.set_forces(forces)
    pliant.step_all(worlds, steps)
    return numpy.array([reward(world) for world in worlds])


def main(population=32, generations=8, seed=1):
    generator = numpy.random.default_rng(seed)
    worlds = [make() for _ in range(population)]
    start = worlds[0].save()
    mean, spread = numpy.zeros(2), 0.02
    for generation in range(generations):
        actions = mean + spread * generator.normal(size=(population, 2))
        rewards = evaluate(worlds, start, actions)
        best = actions[numpy.argsort(rewards)[-population // 4:]]
        mean, spread = best.mean(axis=0), best.std(axis=0).max() + 1e-4
        print(f"generation {generation}: best {rewards.max():.4f}, mean {rewards.mean():.4f}")
    return rewards.max()


if __name__ == "__main__":
    main()
