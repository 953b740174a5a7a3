"""Functions of the user's: forces, laws, what is called before steps, the viewer."""
import os
import subprocess
import unittest
import urllib.request

import numpy

import pliant
from stage import bar_mesh, bar_world, write_scene


class Callbacks(unittest.TestCase):
    def spring(self, stiffness):
        def pull(time, x, v):
            slopes = numpy.zeros((len(x), 3, 3))
            slopes[:, 2, 2] = -stiffness
            forces = numpy.zeros_like(x)
            forces[:, 2] = -stiffness * (x[:, 2] - 0.15)
            return forces, slopes
        return pull

    def test_a_stiff_field_is_stepped_implicitly(self):
        for integrator in ("implicit-euler", "bdf2", "newmark", "static"):
            world = bar_world(integrator=integrator)
            bar = world.body("bar")
            world.dt = 0.05
            bar.set_force_field(self.spring(1e4))
            world.step(20)
            self.assertLess(abs(bar.positions[:, 2].mean() - 0.15), 0.01, integrator)
            bar.set_force_field(None)
            world.step(5)
            self.assertLess(bar.positions[:, 2].mean(), 0.145, integrator)

    def test_what_a_field_raises_comes_out_and_the_world_stays(self):
        for integrator in ("implicit-euler", "rk4", "bdf2", "rosenbrock4"):
            world = bar_world(integrator=integrator, cells=(2, 1, 1))
            world.dt = 1e-4
            bar = world.body("bar")
            world.step()
            before = world.hash
            for wrong, kind in ((lambda t, x, v: 1 / 0, ZeroDivisionError), (lambda t, x, v: "no", ValueError),
                                (lambda t, x, v: numpy.zeros(5), ValueError), (lambda t: 0, TypeError),
                                (lambda t, x, v: world.step(), RuntimeError), (lambda t, x, v: bar.positions, RuntimeError),
                                (lambda t, x, v: x * numpy.nan, pliant.Error)):
                bar.set_force_field(wrong)
                with self.assertRaises(kind):
                    world.step()
                self.assertEqual(world.hash, before)
            bar.set_force_field(None)
            world.step()
        with self.assertRaises(TypeError):
            bar.set_force_field(3)

    def test_arrays_of_a_callback_may_be_kept(self):
        kept, world = [], bar_world(cells=(2, 1, 1))
        world.body("bar").set_force_field(lambda t, x, v: kept.append(x) or numpy.zeros_like(x))
        world.step(3)
        del world
        self.assertTrue(all(numpy.isfinite(x).all() for x in kept))

    @staticmethod
    def neo_hooke(F, lam=1e6 * 0.33 / (1.33 * 0.34), mu=1e6 / 2.66):
        """W = mu/2 (I1 - 3) - mu ln J + lambda/2 (J - 1)^2, as the library's."""
        J = numpy.linalg.det(F)
        A = numpy.linalg.inv(F).T
        slope, bend = lam * (J - 1) * J - mu, lam * J * (2 * J - 1)
        W = mu / 2 * ((F * F).sum() - 3) - mu * numpy.log(J) + lam / 2 * (J - 1) ** 2
        a = A.reshape(9)
        H = mu * numpy.eye(9) + bend * numpy.outer(a, a) - slope * numpy.einsum("il,kj->ijkl", A, A).reshape(9, 9)
        return W, mu * F + slope * A, H

    def law_world(self, **values):
        world = pliant.World(dt=0.02, threads=2)
        rubber = pliant.Material(pliant.law.neo_hooke(young=1e6, poisson=0.33), **values)
        bar = world.add_body(bar_mesh((3, 1, 1)), rubber, name="bar")
        bar.fix("x-min")
        return world

    def test_a_law_of_ones_own_is_the_same_law(self):
        own, law = self.law_world(own=pliant.OwnLaw(self.neo_hooke)), self.law_world()
        own.step(5)
        law.step(5)
        numpy.testing.assert_allclose(own.body("bar").positions, law.body("bar").positions, atol=1e-6)
        self.assertLess(law.body("bar").positions[:, 2].min(), -1e-3)

    def test_what_a_law_raises_comes_out(self):
        world = self.law_world(own=pliant.OwnLaw(lambda F: 1 / 0))
        before = world.hash
        with self.assertRaises(ZeroDivisionError):
            world.step()
        self.assertEqual(world.hash, before)
        world.body("bar").set_material(pliant.Material(pliant.law.hooke(young=1e6, poisson=0.3)))
        world.step()
        with self.assertRaises(TypeError):
            pliant.OwnLaw(3)


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


if __name__ == "__main__":
    unittest.main()
