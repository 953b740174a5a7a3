"""Tests of the Python package: bits, arrays, families, contact, learning, scenes."""
import copy
import inspect
import json
import os
import pickle
import subprocess
import unittest

import numpy

import pliant
from stage import bar_mesh, bar_world, write_scene


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
        twin = pickle.loads(pickle.dumps(scene))
        scene.step(3)
        twin.step(3)
        self.assertEqual(scene.hash, twin.hash)
        scene.set_gravity((0, 0, 5))
        bar = scene.bodies[0]
        bar.load(pliant.load.force(value=(1, 2, 3)), "x-max")
        again = copy.deepcopy(scene)
        scene.step(3)
        again.step(3)
        self.assertEqual(scene.hash, again.hash)

    def test_a_world_made_by_code_survives_pickling(self):
        world = bar_world(integrator="bdf2")
        bar = world.body("bar")
        floor = world.add_obstacle(pliant.obstacle.plane(point=(0, 0, -0.1), normal=(0, 0, 1)), friction=0.3)
        cube = world.add_body(pliant.Mesh.generate("box", size=(0.2, 0.2, 0.2), cells=(1, 1, 1)),
                              pliant.Material(pliant.law.neo_hooke(young=1e5, poisson=0.3)), translation=(2, 0, 0.1))
        load = bar.load(pliant.load.force(value=(0, 3, 0)), "x-max")
        gone = bar.load(pliant.load.force(value=(0, 0, 99)), "x-max")
        pull = bar.pull((1, 0.15, 0.15), (1, 0.3, 0.2), stiffness=50)
        tip = world.add_probe("displacement", bar, at=(1, 0.15, 0.15), name="tip")
        gone.remove()
        for k in range(5):
            pull.move((1, 0.3, 0.2 + 0.01 * k))
            world.set_gravity((0, 0, -9 - 0.1 * k))
            world.step()
        copies = [pickle.loads(pickle.dumps(world)), world.copy(), copy.deepcopy(world)]
        self.assertLess(len(world._recipe.calls), 12)  # the last of repeated calls counts
        world.step(5)
        for other in copies:
            other.step(5)
            self.assertEqual(world.hash, other.hash)
            numpy.testing.assert_array_equal(other.probes["tip"].value, tip.value)
        cube.remove()
        other = world.copy()
        world.step(3)
        other.step(3)
        self.assertEqual(world.hash, other.hash)
        self.assertEqual([b.name for b in other.bodies], ["bar"])
        del floor, load

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

    def test_effects(self):
        world = bar_world()
        bar = world.body("bar")
        swing = bar.effect(pliant.effect.attraction(point=(0, 0, 1), stiffness=3))
        swing.set(stiffness=5)
        self.assertEqual(swing.read(), {"point": [0, 0, 1], "stiffness": 5})
        with self.assertRaisesRegex(pliant.ArgumentError, "has no parameter"):
            swing.set(speed=1)
        swing.remove()
        with self.assertRaisesRegex(pliant.ArgumentError, "there is no effect"):
            swing.read()

    def test_links(self):
        world = pliant.World(dt=0.01, gravity=(0, 0, 0))
        cubes = [world.add_body(pliant.Mesh.generate("box", size=(0.1, 0.1, 0.1), cells=(1, 1, 1), origin=(x, 0, 0)),
                                pliant.Material(pliant.law.hooke(young=1e6, poisson=0.3))) for x in (0, 0.4)]
        spring = cubes[0].link(cubes[1], pliant.link.spring(at=(0.1, 0.05, 0.05), to_at=(0.4, 0.05, 0.05), stiffness=20, length=0.2))
        self.assertAlmostEqual(spring.state()["tension"], 20 * 0.1)
        self.assertEqual(spring.read()["stiffness"], 20)
        world.step(5)
        self.assertLess(spring.state()["length"], 0.3)
        with self.assertRaisesRegex(pliant.ArgumentError, "cannot be linked to itself"):
            cubes[0].link(cubes[0], "magnet")
        spring.remove()
        with self.assertRaises(pliant.ArgumentError):
            spring.state()

    def test_quadrilaterals(self):
        square = pliant.Mesh([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]], quads=[[0, 1, 2, 3]])
        self.assertEqual((square.quads.tolist(), len(square.elements)), ([[0, 1, 2, 3]], 2))
        with self.assertRaisesRegex(pliant.MeshError, "quadrilateral 0 is flat or folded"):
            pliant.Mesh([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]], quads=[[0, 1, 3, 2]])
        with self.assertRaisesRegex(ValueError, "4 columns"):
            pliant.Mesh([[0, 0, 0], [1, 0, 0], [1, 1, 0]], quads=[[0, 1, 2]])


class Views(unittest.TestCase):
    def test_a_view_is_the_librarys_memory(self):
        from pliant._library import ffi
        world = bar_world()
        bar = world.body("bar")
        view = bar.view()
        arrays = ffi.new("pl_view_arrays *")
        pliant.world.lib.pl_view_read(view._view, arrays)
        for name in ("positions", "velocities", "forces", "stress", "order"):
            address = getattr(view, name).__array_interface__["data"][0]
            self.assertEqual(address, int(ffi.cast("intptr_t", getattr(arrays, name))), name)
            self.assertFalse(getattr(view, name).flags.owndata)
            with self.assertRaises(ValueError):
                getattr(view, name)[0] = 1
        before = view.positions.copy()
        world.step(3)
        self.assertTrue(view.live and view.holds)
        self.assertGreater(abs(view.positions - before).max(), 0)
        numpy.testing.assert_array_equal(bar.positions[view.order], view.positions)
        numpy.testing.assert_array_equal(bar.velocities[view.order], view.velocities)
        stress = view.stress.copy()
        view.refresh()
        self.assertGreater(abs(view.stress - stress).max(), 0)
        numpy.testing.assert_array_equal(bar.stress, view.stress)
        # rotations are found from the last ones, so that the last bits depend on who asked before
        numpy.testing.assert_allclose(bar.inner_forces[view.order], view.forces, rtol=1e-7, atol=1e-9)

    def test_a_view_outlives_what_it_shows(self):
        world = bar_world()
        view = world.body("bar").view()
        world.step()
        kept = view.positions.copy()
        world.body("bar").fix("x-max")
        world.step()
        self.assertFalse(view.holds)
        with self.assertRaisesRegex(pliant.ArgumentError, "make it again"):
            view.refresh()
        numpy.testing.assert_array_equal(view.positions, kept)
        positions = world.body("bar").view().positions
        world.step()
        last = world.body("bar").positions.min()
        del world, view
        for _ in range(5):
            bar_world().step()
        self.assertEqual(positions.min(), last)

    def test_frames_have_views_that_are_refreshed(self):
        world = pliant.World(dt=0.01, threads=1)
        body = world.add_body(bar_mesh(), pliant.Material(pliant.law.hooke(young=1e6, poisson=0.3)), model="frames")
        view = body.view()
        self.assertFalse(view.live)
        self.assertIsNone(view.forces)
        world.step(3)
        view.refresh()
        numpy.testing.assert_array_equal(body.positions[view.order], view.positions)


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
        with self.assertRaisesRegex(ValueError, "between"):
            pliant.law.hooke(young=-1)
        with self.assertRaisesRegex(TypeError, "number"):
            pliant.law.hooke(young="soft")
        with self.assertRaisesRegex(ValueError, "none of"):
            pliant.model.fem(strain="corotted")
        self.assertEqual(pliant.filler.stuffing(sharp=True), pliant.filler.stuffing(sharp="yes"))
        self.assertEqual(pliant.filler.stuffing(sharp=False), pliant.filler.stuffing(sharp="no"))
        with self.assertRaisesRegex(ValueError, "none of"):
            pliant.filler.stuffing(sharp=1)
        with self.assertRaisesRegex(ValueError, "none of"):
            pliant.model.fem(strain=True)

    def test_keywords_have_types_and_docstrings(self):
        young = inspect.signature(pliant.law.hooke).parameters["young"]
        self.assertIn("float", str(young.annotation))
        strain = inspect.signature(pliant.model.fem).parameters["strain"]
        self.assertIn("corotated", str(strain.annotation))
        self.assertIn("Optional[float]", str(inspect.signature(pliant.World).parameters["dt"].annotation))
        self.assertIn("time step, s", pliant.World.__doc__)
        for method in (pliant.World.add_body, pliant.Body.fix, pliant.Body.load, pliant.Body.attach, pliant.Body.pull,
                       pliant.World.add_obstacle, pliant.World.set_contact):
            self.assertIn("Keywords:", method.__doc__)
            self.assertGreater(len(inspect.signature(method).parameters), 2)
        for name, each in vars(pliant).items():
            if inspect.isclass(each) and not name.startswith("_"):
                for method, function in inspect.getmembers(each, inspect.isfunction):
                    if not method.startswith("_"):
                        self.assertTrue(function.__doc__, f"{name}.{method} has no docstring")

    def test_lists_of_structs_have_their_counts(self):
        soft = pliant.Material(pliant.law.neo_hooke(young=1e5, poisson=0.3))
        fibred = pliant.Material(pliant.law.neo_hooke(young=1e5, poisson=0.3),
                                 fibres=[{"k1": 1e6, "k2": 1, "direction": (1, 0, 0)}])
        sags = []
        for material in (soft, fibred):
            world = pliant.World(integrator="static", threads=1)
            bar = world.add_body(bar_mesh(), material)
            bar.fix("x-min")
            world.step()
            sags.append(-bar.positions[:, 2].min())
        self.assertLess(sags[1], 0.8 * sags[0])

    def test_every_integrator_steps(self):
        for name in pliant.integrator:
            try:
                world = bar_world(integrator=name, cells=(2, 1, 1), allow_unstable=1)
            except pliant.UnsupportedError as error:
                self.assertIn("this build lacks", error.message)  # a wheel has no SUNDIALS
                continue
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


class Scenes(unittest.TestCase):
    def test_a_world_by_code_becomes_a_scene_with_the_same_bits(self):
        world = bar_world(integrator="bdf2")
        bar = world.body("bar")
        bar.load(pliant.load.force(value=(0, 3, 0)), pliant.region.box(min=(0.9, -1, -1), max=(2, 2, 2)))
        world.add_obstacle(pliant.obstacle.plane(point=(0, 0, -0.02), normal=(0, 0, 1)), friction=0.4)
        world.add_probe("displacement", bar, at=(1, 0.15, 0.15), name="tip")
        world.set_gravity((0, 0, -5))
        bar.set_material(pliant.Material(pliant.law.hooke(young=5e5, poisson=0.33), density=900))
        scene = pliant.Scene(world.write_scene("made"))
        world.step(10)
        scene.step(10)
        self.assertEqual(world.hash, scene.hash)
        numpy.testing.assert_array_equal(world.probes["tip"].value, scene.probes["tip"].value)
        world.body("bar").set_force_field(lambda t, x, v: 0 * x)
        with self.assertRaisesRegex(ValueError, "no words"):
            world.write_scene("made")

    def test_a_run_can_be_read(self):
        path = write_scene()
        subprocess.run([os.environ["PLIANT_COMMAND"], "run", path, "-q", "-o", "run"], check=True)
        run = pliant.Run("run")
        self.assertGreater(len(run), 2)
        last = run[-1]
        again = pliant.Scene(path)
        again.step(round(last.time / again.dt))
        self.assertEqual(last.hash, again.hash)
        points, faces, frames = run.surfaces()["bar"]
        self.assertEqual(frames.shape, (len(run), len(points), 3))
        self.assertLess(faces.max(), len(points))
        self.assertLess(frames[-1][:, 2].min(), frames[0][:, 2].min())
        self.assertEqual(sorted({time for time, _ in run}), [time for time, _ in run])
        with self.assertRaises(OSError):
            pliant.Run("nowhere")


if __name__ == "__main__":
    unittest.main()
