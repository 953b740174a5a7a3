"""Tests of the Python package; test_python.sh starts them."""
import json
import os
import pickle
import re
import resource
import signal
import subprocess
import unittest
import urllib.request

import numpy

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


class Bits(unittest.TestCase):
    def test_the_command_a_scene_and_code_have_the_same_bits(self):
        for integrator in ("implicit-euler", "bdf2", "rosenbrock4"):
            path = write_scene(integrator)
            subprocess.run([os.environ["PLIANT_COMMAND"], "run", path, "-q", "-o", "out"], check=True)
            with open("out/summary.json") as file:
                told = json.load(file)["state_hash"]
            scene = pliant.Scene(path)
            scene.run()
            world = bar_world(integrator=integrator)
            world.step(10)
            self.assertEqual(scene.hash, world.hash)
            self.assertEqual(int(str(told), 16), scene.hash)

    def test_state_goes_on_with_the_same_bits_in_another_world(self):
        first, second = bar_world(integrator="bdf2"), bar_world(integrator="bdf2", threads=2)
        first.step(5)
        state = first.save()
        first.step(5)
        second.load(state)
        second.step(5)
        self.assertEqual(first.hash, second.hash)
        damaged = bytearray(state)
        damaged[len(state) // 2] ^= 1
        with self.assertRaises(pliant.Error):
            second.load(bytes(damaged))

    def test_a_scene_survives_pickling(self):
        scene = pliant.Scene(write_scene(), changes={"material[rubber].young": 2e5})
        scene.step(3)
        copy = pickle.loads(pickle.dumps(scene))
        scene.step(3)
        copy.step(3)
        self.assertEqual(scene.hash, copy.hash)
        with self.assertRaisesRegex(TypeError, "world.save"):
            pickle.dumps(bar_world())

    def test_worlds_side_by_side_have_the_bits_of_one_alone(self):
        worlds = [bar_world() for _ in range(6)]
        pliant.step_all(worlds, 5, threads=3)
        alone = bar_world()
        alone.step(5)
        self.assertEqual({w.hash for w in worlds}, {alone.hash})


class Arrays(unittest.TestCase):
    def test_nodes_are_the_librarys_memory_and_read_only(self):
        mesh = bar_mesh()
        nodes = mesh.nodes
        address = nodes.__array_interface__["data"][0]
        self.assertEqual(address, mesh.nodes.__array_interface__["data"][0])
        with self.assertRaises(ValueError):
            nodes[0, 0] = 1
        kept = numpy.array(nodes)
        del mesh
        numpy.testing.assert_array_equal(nodes, kept)

    def test_positions_velocities_and_forces(self):
        world = bar_world()
        bar = world.body("bar")
        moved = bar.positions + [0, 0, 0.5]
        bar.positions = moved
        numpy.testing.assert_array_equal(bar.positions, moved)
        bar.velocities = numpy.zeros_like(moved)
        with self.assertRaisesRegex(ValueError, "rows of 3"):
            bar.positions = [1, 2, 3]
        world = bar_world(integrator="static")
        bar = world.body("bar")
        world.step()
        sag = bar.positions[:, 2].min()
        lift = numpy.zeros_like(bar.positions)
        lift[:, 2] = 1000 * 9.81 * 0.09 / len(lift)
        bar.set_forces(lift)
        world.step()
        self.assertGreater(bar.positions[:, 2].min(), sag)
        self.assertEqual(bar.stress.shape, (len(bar.mesh.elements), 3, 3))
        numpy.testing.assert_allclose(numpy.linalg.det(bar.deformation_gradient), bar.volume_ratio, rtol=1e-6)

    def test_a_mesh_from_arrays_and_a_filled_surface(self):
        mesh = pliant.Mesh([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], [[0, 1, 2, 3]], sets={"tip": [3]})
        self.assertAlmostEqual(mesh.measure()["volume"], 1 / 6)
        self.assertEqual(list(pickle.loads(pickle.dumps(mesh)).sets["tip"]), [3])
        skin = bar_mesh().boundary()
        filled = pliant.Mesh.fill(skin.nodes, skin.elements)
        self.assertAlmostEqual(filled.measure()["volume"], 0.09, delta=0.02)
        with self.assertRaises(pliant.MeshError):
            pliant.Mesh([[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0]], [[0, 1, 2, 3]])


class Families(unittest.TestCase):
    def test_every_member_is_a_documented_function(self):
        self.assertGreater(len(pliant.integrator), 20)
        for family in pliant.families.values():
            for name in family:
                maker = family[name]
                self.assertTrue(maker.__doc__)
                self.assertEqual(maker().name, name)
        self.assertIn("Pa", pliant.law.hooke.__doc__)
        with self.assertRaisesRegex(TypeError, "it has"):
            pliant.law.hooke(yung=1)

    def test_every_integrator_steps(self):
        for name in pliant.integrator:
            world = bar_world(integrator=name, cells=(2, 1, 1))
            world.dt = 1e-4
            world.step(2)
            self.assertTrue(numpy.isfinite(world.body("bar").positions).all(), name)


class Contact(unittest.TestCase):
    def test_a_cube_rests_on_a_floor_and_probes_see_it(self):
        world = pliant.World(dt=0.01, threads=1)
        cube = world.add_body(pliant.Mesh.generate("box", size=(0.1, 0.1, 0.1), cells=(2, 2, 2)),
                              pliant.Material(pliant.law.hooke(young=1e5, poisson=0.3), density=1000))
        floor = world.add_obstacle(pliant.obstacle.plane(point=(0, 0, -0.001), normal=(0, 0, 1)), friction=0.5)
        tip = world.add_probe("displacement", cube, (0.05, 0.05, 0.1), name="top")
        world.step(100)
        self.assertAlmostEqual(floor.read()["force"][2], 9.81, delta=0.1)
        self.assertAlmostEqual(sum(c["force"][2] for c in world.contacts()), 9.81, delta=0.1)
        self.assertLess(tip.value[2], 0)
        self.assertIs(type(world.probes["top"].unit), str)
        hit = world.pick((0.05, 0.05, 1), (0, 0, -1))
        pull = cube.pull(hit["spot"], (0.05, 0.05, 0.3), stiffness=200)
        world.step(50)
        self.assertGreater(pull.read()["force"][2], 0)
        floor.remove()
        with self.assertRaises(pliant.ArgumentError):
            floor.read()
        mesh = cube.mesh
        nodes, kept = mesh.nodes, numpy.array(mesh.nodes)
        cube.remove()
        for gone in (lambda: cube.positions, lambda: mesh.nodes, lambda: cube.fix("x-min"), lambda: mesh.measure()):
            with self.assertRaises(pliant.ArgumentError):
                gone()
        numpy.testing.assert_array_equal(nodes, kept)


class Errors(unittest.TestCase):
    def test_errors_are_exceptions_with_file_and_line(self):
        with open("bad.xml", "w") as file:
            file.write(SCENE.format(integrator="implicit-oiler").replace('dt="0.01"', 'dt="-1"'))
        with self.assertRaises(pliant.ArgumentError) as caught:
            pliant.Scene("bad.xml")
        self.assertEqual(caught.exception.line, 2)
        self.assertEqual(len(caught.exception.all), 2)
        self.assertEqual(pickle.loads(pickle.dumps(caught.exception)).line, 2)
        with self.assertRaisesRegex(pliant.ArgumentError, "x-mni"):
            bar_world().body("bar").fix("x-mni")

    def test_wrong_types_are_exceptions(self):
        world = bar_world()
        for wrong in (lambda: pliant.World(dt="fast"), lambda: pliant.World(steps=3), lambda: pliant.World(dt=-1),
                      lambda: pliant.Mesh([1, 2], [3]), lambda: world.add_body(None, None),
                      lambda: pliant.Material(law=3), lambda: world.body("bar").fix(3),
                      lambda: world.step("many"), lambda: world.load(b"nothing"),
                      lambda: world.set_integrator("oiler"), lambda: world.pick((0, 0), (0, 0, 0))):
            with self.assertRaises(Exception) as caught:
                wrong()
            self.assertIsInstance(caught.exception, (TypeError, ValueError, AttributeError, pliant.Error, IndexError))
        world.step()

    def test_an_interrupt_cancels_the_step_and_leaves_the_world(self):
        world = bar_world(cells=(24, 8, 8))

        def ring(*_):
            raise KeyboardInterrupt

        signal.signal(signal.SIGALRM, ring)
        signal.setitimer(signal.ITIMER_REAL, 0.2)
        with self.assertRaises(KeyboardInterrupt):
            while True:
                world.step()
        again = bar_world(cells=(24, 8, 8))
        again.step(round(world.time / world.dt))
        self.assertEqual(world.hash, again.hash)

    def test_a_forked_world_is_refused(self):
        world = bar_world()
        child = os.fork()
        if child == 0:
            try:
                world.step()
            except RuntimeError:
                os._exit(0)
            os._exit(1)
        self.assertEqual(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), 0)

    def test_worlds_that_end_give_their_memory_back(self):
        for _ in range(50):
            bar_world(cells=(2, 1, 1)).step()
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        for _ in range(300):
            bar_world(cells=(2, 1, 1)).step()
        self.assertLess(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before, 4000)


class Learning(unittest.TestCase):
    def test_episodes_repeat_by_their_seed(self):
        env = pliant.Environment(bar_world, lambda w, a: w.set_gravity((0, 0, a)),
                                 lambda w: w.body("bar").positions[-1], lambda w: 0.0, limit=3,
                                 randomise=lambda w, g: w.set_gravity(g.normal(size=3)))

        def episode():
            env.reset(seed=7)
            env.world.step()
            return [env.step(-5.0)[0].tolist() for _ in range(3)], env.world.hash

        self.assertEqual(episode(), episode())
        env.reset()
        self.assertEqual([env.step(0.0)[3] for _ in range(3)], [False, False, True])


class Own(unittest.TestCase):
    def test_forces_of_ones_own_before_each_step(self):
        write_scene()
        scene = pliant.Scene("bar.xml", {"world.gravity": "0 0 0"})
        bar = scene.bodies[0]
        forces = numpy.zeros_like(bar.positions)
        forces[:, 1] = 0.01

        def push(world):
            if world.time > 4.5 * world.dt:
                raise StopIteration("enough")
            world.bodies[0].set_forces(forces * world.time)

        rest = bar.positions.copy()
        with self.assertRaises(StopIteration):
            scene.step(20, before=push)
        self.assertAlmostEqual(scene.time, 5 * scene.dt)
        self.assertGreater((bar.positions - rest)[:, 1].max(), 0)

    def test_the_viewer_may_stand_in_a_notebook(self):
        command = os.environ["PLIANT_COMMAND"]
        said = subprocess.run([command, "view", "--help"], capture_output=True, text=True).stdout
        if "--framed" not in said:
            self.skipTest("the command has no viewer")
        write_scene()
        viewer = pliant.Scene("bar.xml").show(command=command)
        with urllib.request.urlopen(viewer.url.split("#")[0]) as page:
            self.assertIn("frame-ancestors http://127.0.0.1:*", page.headers["content-security-policy"])
            self.assertIsNone(page.headers["x-frame-options"])
        self.assertIn(viewer.url, viewer._repr_html_())
        viewer.close()
        self.assertIsNotNone(viewer._process.poll())
        with self.assertRaises(RuntimeError):
            pliant.Scene("bar.xml").show(command="/bin/false")


class Manual(unittest.TestCase):
    def test_every_example_of_the_manual_runs(self):
        write_scene()
        for page in ("README.md", "docs/python.md", "docs/tutorials/6-from-python.md"):
            with open(os.path.join(SOURCE, page)) as file:
                blocks = re.findall(r"```python\n(.*?)```", file.read(), re.S)
            self.assertTrue(blocks)
            names = {"print": lambda *words: None}
            for block in blocks:
                exec(compile(block, page, "exec"), names)


if __name__ == "__main__":
    unittest.main()
