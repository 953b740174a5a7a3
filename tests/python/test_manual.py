"""Every example of the manual, of docstrings and of examples/python runs."""
import ast
import inspect
import os
import re
import subprocess
import sys
import unittest
import pliant
from stage import SOURCE, bar_world, write_scene
from test_own import Callbacks


class Manual(unittest.TestCase):
    def test_every_example_of_the_manual_runs(self):
        write_scene()
        subprocess.run([os.environ["PLIANT_COMMAND"], "run", "bar.xml", "-q", "-o", "out/bar"], check=True)
        pages = ["README.md"] + [os.path.join(folder, name) for folder in ("docs", "docs/tutorials")
                                 for name in sorted(os.listdir(os.path.join(SOURCE, folder))) if name.endswith(".md")]
        count = 0
        for page in pages:
            with open(os.path.join(SOURCE, page)) as file:
                blocks = re.findall(r"```python\n(.*?)```", file.read(), re.S)
            names = {"print": lambda *words: None}
            for block in blocks:
                exec(compile(block, page, "exec"), names)
            count += len(blocks)
        self.assertGreater(count, 8)

    def test_every_example_of_a_docstring_runs(self):
        """Indented lines behind an empty one, where they are a program."""
        write_scene()
        subprocess.run([os.environ["PLIANT_COMMAND"], "run", "bar.xml", "-q", "-o", "out/bar"], check=True)
        world = bar_world()
        names = {**vars(pliant), "pliant": pliant, "print": lambda *words: None, "world": world, "bar": world.body("bar"),
                 "view": world.body("bar").view(), "function": Callbacks.neo_hooke}
        modules = [each for name, each in sorted(sys.modules.items()) if name.split(".")[0] == "pliant"]
        things = [each for module in modules for each in (module, *(
            thing for _, thing in inspect.getmembers(module, lambda t: inspect.isclass(t) or inspect.isfunction(t))
            if (thing.__module__ or "").startswith("pliant")))]
        count = 0
        for doc in {inspect.getdoc(thing) for thing in things if inspect.getdoc(thing)}:
            calls = re.findall(r"^(?:[A-Z]\w+\(.*\))$", doc, re.M)
            for block in calls + re.findall(r"(?:^|\n\n)((?:    .*\n?|\n)+)", doc.split("Keywords:")[0]):
                text = inspect.cleandoc("\n" + block)
                try:
                    ast.parse(text)
                except SyntaxError:
                    continue
                if "(" in text:
                    exec(compile(text, "docstring", "exec"), dict(names))
                    count += 1
        self.assertGreaterEqual(count, 5)

    def test_every_example_runs(self):
        folder = os.path.join(SOURCE, "examples", "python")
        found = {}
        for name in sorted(os.listdir(folder)):
            if name.endswith(".py"):
                module = {"__name__": name, "print": lambda *words: None}
                with open(os.path.join(folder, name)) as file:
                    exec(compile(file.read(), name, "exec"), module)
                found[name] = module
        table = found["sweep.py"]["main"](youngs=(5e5, 1e6), strains=("corotated", "linear"))
        self.assertGreater(table[5e5][0], table[1e6][0])
        young, damping = found["fit.py"]["main"](frames=10)
        self.assertAlmostEqual(young / 4e5, 1, delta=0.05)
        self.assertAlmostEqual(damping / 2e-3, 1, delta=0.5)
        raised, height = found["gripper.py"]["main"]()
        self.assertGreater(raised, 0.8 * height)
        self.assertGreater(height, 0.09)
        self.assertGreater(found["batch.py"]["main"](population=12, generations=5), -0.05)


if __name__ == "__main__":
    unittest.main()
