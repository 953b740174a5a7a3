"""What goes wrong is an exception, never a crash."""
import os
import pickle
import resource
import shutil
import signal
import subprocess
import sys
import threading
import time
import unittest

import numpy

import pliant
from stage import SCENE, bar_world


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

    def test_a_library_with_another_layout_is_refused(self):
        """By a copy of the package whose copy of the declarations differs in one member."""
        shutil.copytree(os.path.dirname(pliant.__file__), "other/pliant")
        path = "other/pliant/declarations.cdef"
        with open(path) as file:
            text = file.read()
        with open(path, "w") as file:
            file.write(text.replace("pl_status code; int line;", "int line; pl_status code;"))
        ended = subprocess.run([sys.executable, "-c", "import pliant"], capture_output=True, text=True,
                               env={**os.environ, "PYTHONPATH": "other", "PLIANT_LIBRARY": pliant._library.path})
        self.assertEqual(ended.returncode, 1)
        self.assertRegex(ended.stderr, "ImportError: .*built from other declarations")

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

    def test_a_forked_child_may_end_as_it_likes(self):
        program = ("import os, sys, pliant\n"
                   "world = pliant.World(threads=2)\n"
                   "child = os.fork()\n"
                   "if child == 0:\n"
                   "    del world\n"
                   "    sys.exit(0)\n"
                   "sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))\n")
        subprocess.run([sys.executable, "-c", program], check=True, timeout=60)

    def test_a_world_is_one_threads_at_a_time(self):
        world, errors = bar_world(cells=(24, 8, 8)), []

        def use(what):
            for _ in range(200):
                try:
                    what()
                except RuntimeError as error:
                    errors.append(str(error))

        users = [threading.Thread(target=use, args=(lambda: world.body("bar").positions,)),
                 threading.Thread(target=use, args=(lambda: world.set_gravity((0, 0, -1)),))]
        stepping = threading.Thread(target=lambda: world.step(12))
        stepping.start()
        while world._stepper is None and stepping.is_alive():
            time.sleep(0)
        for each in users:
            each.start()
        with self.assertRaises(RuntimeError):
            while True:
                world.step()
                if not stepping.is_alive():
                    self.fail("both threads stepped the world")
        for each in users + [stepping]:
            each.join()
        self.assertTrue(all("stepped" in error for error in errors))
        self.assertTrue(numpy.isfinite(world.body("bar").positions).all())

    def test_many_worlds_and_an_error(self):
        worlds = [bar_world(cells=(2, 1, 1)) for _ in range(5)]
        def fail(time, x, v):
            raise ZeroDivisionError("on purpose")
        worlds[2].body("bar").set_force_field(fail)
        with self.assertRaisesRegex(ZeroDivisionError, "on purpose"):
            pliant.step_all(worlds, 3)
        self.assertEqual([round(w.time / w.dt) for w in worlds], [3, 3, 0, 3, 3])
        with self.assertRaises(RuntimeError):
            pliant.step_all([worlds[0], worlds[0]])
        worlds[0].step()
        with self.assertRaises(TypeError):
            pliant.step_all([1, 2])
        with self.assertRaises(pliant.ArgumentError):
            pliant.step_all(worlds, threads=-1)
        with self.assertRaises((TypeError, OverflowError)):
            pliant.step_all(worlds, "many")
        pliant.step_all([], 3)

    def test_an_interrupt_ends_a_batch(self):
        worlds = [bar_world(cells=(16, 6, 6)) for _ in range(4)]

        def ring(*_):
            raise KeyboardInterrupt

        signal.signal(signal.SIGALRM, ring)
        signal.setitimer(signal.ITIMER_REAL, 0.3)
        started = time.monotonic()
        with self.assertRaises(KeyboardInterrupt):
            pliant.step_all(worlds, 100000)
        self.assertLess(time.monotonic() - started, 60)
        pliant.step_all(worlds, 1)

    def test_dead_ids_and_worlds_of_others(self):
        one, two = bar_world(), bar_world()
        load = one.body("bar").load(pliant.load.force(value=(1, 0, 0)), "x-max")
        load.remove()
        for dead in (load.remove, lambda: one.body("bar").attach(two.body("bar"), "x-max", stiffness=-1),
                     lambda: one.body("nobody")):
            with self.assertRaises((pliant.Error, KeyError)):
                dead()
        one.step()

    def test_worlds_that_end_give_their_memory_back(self):
        for _ in range(50):
            bar_world(cells=(2, 1, 1)).step()
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        for _ in range(300):
            bar_world(cells=(2, 1, 1)).step()
        self.assertLess(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before, 4000)


if __name__ == "__main__":
    unittest.main()
