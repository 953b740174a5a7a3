"""A gripper of two jaws lifts a soft cube: the jaws close until they feel the force that is wanted
(a controller reads contact forces after every step), then go up."""
import pliant


def make(friction=0.8):
    world = pliant.World(dt=0.005, threads=1)
    soft = pliant.Material(pliant.law.hooke(young=8e4, poisson=0.35), density=500, stiffness_damping=2e-3)
    mesh = pliant.Mesh.generate("box", size=(0.06, 0.06, 0.06), cells=(4, 4, 4), element="hex")
    cube = world.add_body(mesh, soft, name="cube", translation=(-0.03, -0.03, 0.001))
    world.add_obstacle(pliant.obstacle.plane(), friction=friction)
    jaws = [world.add_obstacle(pliant.obstacle.box(centre=(side * 0.06, 0, 0.03), size=(0.04, 0.08, 0.04)), friction=friction)
            for side in (-1, 1)]
    return world, cube, jaws


def grip(world, jaws, wanted=3.0, speed=0.08, lift=0.1, steps=500):
    """Closes with feedback and lifts; returns how far each jaw went."""
    closed, height = 0.0, 0.0
    for _ in range(steps):
        force = min(abs(jaw.read()["force"][0]) for jaw in jaws)
        closed += max(-1.0, min(1.0, (wanted - force) / wanted)) * speed * world.dt
        if force > 0.8 * wanted and height < lift:
            height += 0.1 * world.dt
        for side, jaw in zip((1, -1), jaws):
            jaw.move((side * closed, 0, height))
        world.step()
        if height >= lift:
            break
    return closed, height


def main():
    world, cube, jaws = make()
    before = cube.positions[:, 2].mean()
    closed, height = grip(world, jaws)
    raised = cube.positions[:, 2].mean() - before
    force = jaws[0].read()["force"][0]
    print(f"the jaws closed by {1000 * closed:.1f} mm, press with {abs(force):.1f} N and raised the cube by {1000 * raised:.0f} mm")
    return raised, height


if __name__ == "__main__":
    main()
