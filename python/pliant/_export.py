"""A world that was built by code as a scene file with its meshes, for the viewer and the command."""
from __future__ import annotations

import os
from xml.sax.saxutils import quoteattr

import numpy

from ._recipe import Ref
from .families import Member


class CannotWrite(ValueError):
    """Something that scene files have no words for, or that is not written yet."""


def _text(value):
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, str):
        return value
    return " ".join(repr(float(each)) for each in numpy.atleast_1d(numpy.asarray(value, dtype=float)))


def _attributes(values):
    return "".join(f" {name.rstrip('_').replace('_', '-')}={quoteattr(_text(value))}" for name, value in values.items()
                   if value is not None)


def _member(value):
    return value if isinstance(value, Member) else Member(value, {})


def _allowed(values, names, what):
    for name, value in values.items():
        if value is not None and name not in names:
            raise CannotWrite(f"{what} with {name}={value!r} cannot be written as a scene by this package")
    return {name: value for name, value in values.items() if value is not None}


def _where(where):
    lines = []
    for each in where:
        if isinstance(each, str):
            lines.append(f"<set name={quoteattr(each)}/>")
        else:
            lines.append(f"<{each.name}{_attributes(each.settings)}/>")
    return "".join(lines)


def _material(name, material):
    values = _allowed(material.values, ("law", "density", "viscous_lambda", "viscous_mu", "stiffness_damping",
                                        "mass_damping"), "a material")
    law = _member(values.pop("law"))
    return f"  <material name={quoteattr(name)} law={quoteattr(law.name)}{_attributes({**law.settings, **values})}/>"


def _chosen(element, value):
    member = _member(value)
    return f"  <{element} method={quoteattr(member.name)}{_attributes(member.settings)}/>"


class _Writer:
    def __init__(self, world, folder):
        self.world, self.folder, self.lines, self.bodies, self.probes = world, folder, [], {}, []
        values = _allowed(world._values, ("dt", "gravity", "integrator", "solver", "preconditioner", "threads", "halvings",
                                          "tolerance"), "a world")
        self.now = {"dt": world.dt, "gravity": values.get("gravity", (0, 0, -9.81))}
        self.now.update({name: values[name] for name in ("halvings", "tolerance") if name in values})
        self.method = {name: values[name] for name in ("integrator", "solver", "preconditioner") if name in values}

    def take(self, target, name, arguments, keywords, result):
        handler = getattr(self, "on_" + name, None)
        if handler is None:
            raise CannotWrite(f"{name}() has no words in scene files")
        handler(target, *arguments, **keywords)
        if isinstance(result, Ref) and result.key[0] == "body":
            self.bodies[result.key] = self.last

    def on_add_body(self, _, mesh, material, **values):
        number = len(self.bodies)
        values = _allowed(values, ("name", "model", "translation", "rotation", "velocity", "spin", "self_contact"), "a body")
        model, name = _member(values.pop("model", "fem")), values.pop("name", None) or f"body-{number + 1}"
        mesh.write(os.path.join(self.folder, f"mesh-{number}.vtu"))
        self.lines += [_material(f"material-{number}", material), f'  <mesh name="mesh-{number}" file="mesh-{number}.vtu"/>']
        head = (f"  <body name={quoteattr(name)} mesh=\"mesh-{number}\" material=\"material-{number}\" "
                f"model={quoteattr(model.name)}{_attributes({**model.settings, **values})}>")
        self.last = {"name": name, "head": head, "inside": []}

    def on_set_material(self, target, material):
        number = list(self.bodies).index(target.key)
        place = next(i for i, line in enumerate(self.lines) if f'name="material-{number}"' in line)
        self.lines[place] = _material(f"material-{number}", material)

    def on_fix(self, target, *where, **values):
        _allowed(values, (), "a fix")
        self.bodies[target.key]["inside"].append(f"    <fix>{_where(where)}</fix>")

    def on_load(self, target, load, *where, **values):
        _allowed(values, (), "a load")
        load = _member(load)
        self.bodies[target.key]["inside"].append(f"    <{load.name}{_attributes(load.settings)}>{_where(where)}</{load.name}>")

    def on_effect(self, target, effect):
        effect = _member(effect)
        self.bodies[target.key]["inside"].append(f"    <{effect.name}{_attributes(effect.settings)}/>")

    def on_link(self, target, to, link):
        link, other = _member(link), self.bodies[to.key]["name"]
        self.bodies[target.key]["inside"].append(f"    <{link.name}{_attributes({'to': other, **link.settings})}/>")

    def on_add_obstacle(self, _, shape, friction=None, static_friction=None, restitution=None, **values):
        values = _allowed(values, ("name",), "an obstacle")
        values.setdefault("name", f"obstacle-{sum('<obstacle' in line for line in self.lines) + 1}")
        shape = _member(shape)
        surface = {"friction": friction, "static_friction": static_friction, "restitution": restitution}
        self.lines.append(f"  <obstacle shape={quoteattr(shape.name)}{_attributes({**shape.settings, **surface, **values})}/>")

    def on_add_probe(self, _, quantity, body=None, at=None, name=None):
        owner = self.bodies[body.key]["name"] if body is not None else None
        self.probes.append("  <probe" + _attributes({"name": name or f"probe-{len(self.probes) + 1}", "quantity": quantity,
                                                     "body": owner, "at": at}) + "/>")

    def on_set_contact(self, _, **values):
        values = _allowed(values, ("friction", "response"), "contact")
        response = _member(values.pop("response")) if "response" in values else Member(None, {})
        self.lines.append(f"  <contact{_attributes({'response': response.name, **response.settings, **values})}/>")

    def on_set_gravity(self, _, gravity):
        self.now["gravity"] = gravity

    def on_set_dt(self, _, dt):
        self.now["dt"] = dt

    def on_set_integrator(self, _, integrator):
        self.method["integrator"] = integrator

    def on_set_solver(self, _, solver, preconditioner="auto"):
        self.method.update(solver=solver, preconditioner=preconditioner)

    def text(self, duration):
        lines = ['<pliant title="a world made by Python">', f"  <world{_attributes({**self.now, 'duration': duration})}/>"]
        if "integrator" in self.method:
            lines.append(_chosen("integrator", self.method["integrator"]))
        if "solver" in self.method:
            lines.append(_chosen("solver", self.method["solver"]))
        lines += self.lines
        for body in self.bodies.values():
            lines += [body["head"], *body["inside"], "  </body>"]
        return "\n".join(lines + self.probes + ["</pliant>", ""])


def write_scene(world, folder, duration):
    """Writes FOLDER/scene.xml and its meshes; returns the path of the scene."""
    os.makedirs(folder, exist_ok=True)
    writer = _Writer(world, folder)
    for each in world._recipe.calls:
        writer.take(*each)
    path = os.path.join(folder, "scene.xml")
    with open(path, "w") as file:
        file.write(writer.text(duration))
    return path
