"""What the tests of the Python package share: a soft bar, as a scene and by code."""
import os

import pliant

SOURCE = os.environ["PLIANT_SOURCE"]
SCENE = """<pliant title="a soft bar">
  <world dt="0.01" duration="0.1" gravity="0 0 -9.81"/>
  <integrator method="{integrator}"/>
  <material name="rubber" law="hooke" young="1e6" poisson="0.33" density="1000"/>
  <mesh name="bar"><box size="1 0.3 0.3" cells="6 2 2" element="tet"/></mesh>
  <body name="bar" model="fem" mesh="bar" material="rubber" strain="corotated">
    <fix><set name="x-min"/></fix>
  </body>
  <probe name="tip" body="bar" at="1 0.15 0.15" quantity="displacement"/>
</pliant>
"""


def bar_mesh(cells=(6, 2, 2)):
    return pliant.Mesh.generate("box", size=(1, 0.3, 0.3), cells=cells, element="tet")


def bar_world(threads=1, cells=(6, 2, 2), **values):
    """The world of SCENE, made by code."""
    world = pliant.World(dt=0.01, gravity=(0, 0, -9.81), threads=threads, **values)
    rubber = pliant.Material(pliant.law.hooke(young=1e6, poisson=0.33), density=1000)
    bar = world.add_body(bar_mesh(cells), rubber, name="bar", model=pliant.model.fem(strain="corotated"))
    bar.fix("x-min")
    return world


def write_scene(integrator="implicit-euler"):
    with open("bar.xml", "w") as file:
        file.write(SCENE.format(integrator=integrator))
    return "bar.xml"
