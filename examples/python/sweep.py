"""A parameter sweep: how far a bar sags, over Young's modulus and the strain measure, as a table."""
import pliant


def sag(young, strain):
    """How far the tip comes to rest below where it was, m."""
    mesh = pliant.Mesh.generate("box", size=(1, 0.2, 0.2), cells=(10, 2, 2), element="hex")
    rubber = pliant.Material(pliant.law.hooke(young=young, poisson=0.3), density=1000)
    world = pliant.World(integrator="static", threads=1)
    bar = world.add_body(mesh, rubber, model=pliant.model.fem(strain=strain))
    bar.fix("x-min")
    tip = world.add_probe("displacement", bar, at=(1, 0.1, 0.1))
    world.step()
    return -tip.value[2]


def main(youngs=(2e5, 5e5, 1e6, 2e6), strains=("corotated", "green", "linear")):
    print("young, Pa " + "".join(f"{name:>12}" for name in strains))
    table = {young: [sag(young, strain) for strain in strains] for young in youngs}
    for young, row in table.items():
        print(f"{young:9.0e} " + "".join(f"{value:12.4f}" for value in row))
    return table


if __name__ == "__main__":
    main()
