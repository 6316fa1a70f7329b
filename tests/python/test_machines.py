# SPDX-License-Identifier: Apache-2.0
"""What makes a system a machine, from Python: inputs, states, samples, events, modes, forces in outputs, located contact events, found contacts."""
import copy
import json

import numpy
import pytest
import zeno

CART = """
title: Cart
inputs: {push: 0}
modes: {far: off}
coordinates: {x: 0}
states: {e: {start: 0, rate: 1 - x}}
sampled: {every: 0.1, seen: x}
energy: {kinetic: x'^2/2}
forces: {x: push}
outputs: {sum: x + e}
events:
  half: {when: x - 0.5, direction: up, do: [record, {far: on}]}
  end: {when: x - 1, direction: up, do: stop, message: far enough}
simulation: {scheme: radau-2a, step: 0.01, end: 5}
"""


def test_events_are_those_of_the_program_and_of_the_closed_form(program, tmp_path):
    (tmp_path / "cart.yaml").write_text(CART.replace("push: 0", "push: 4"))
    summary = json.loads(program("run", tmp_path / "cart.yaml", "--summary"))
    simulation = zeno.Scene(CART).simulation(inputs={"push": 4})
    result = simulation.run()
    assert result.status == summary["status"] == "event" and result.message == summary["message"] == "far enough" == simulation.message
    # x = 2 t^2
    assert list(result.events["event"]) == ["half", "end"] and numpy.abs(result.events["time"] - [0.5, 0.5**0.5]).max() < 1e-9
    assert numpy.abs(result.events["x"] - [0.5, 1]).max() < 1e-9 and list(result.events["far"]) == [0, 1]
    assert simulation.events == list(zip(result.events["event"], result.events["time"])) and simulation.events[0].name == "half"
    # e' = 1 - 2 t^2
    t = simulation.t
    assert abs(simulation["e"] - (t - 2 * t**3 / 3)) < 1e-9 and abs(simulation["sum"] - simulation["x"] - simulation["e"]) < 1e-15
    assert simulation["far"] == 1 and abs(simulation["seen"] - 2 * 0.7**2) < 1e-9 and simulation["push"] == 4
    assert abs(simulation["x'"] - 4 * t) < 1e-9
    with pytest.raises(KeyError, match="names are x"):
        simulation["y"]
    result.save(tmp_path / "cart.h5")
    again = zeno.open(tmp_path / "cart.h5").events
    assert all((again[name] == column).all() for name, column in result.events.items())


def test_results_without_events_have_none(ball):
    result = zeno.Scene(ball).run(end=0.1)
    assert result.events == {} and result.contact_events == {} and result.energy_warnings == []


def test_inputs_follow_tables(program, tmp_path):
    times, values = numpy.array([0, 1, 2], dtype=numpy.float32), [1, -1, 0]
    scene = zeno.Scene(CART.replace("end: 5", "end: 3").replace("x - 1,", "x - 9,"))
    held = scene.run(inputs={"push": (times, values)})
    # two seconds of force 1 and -1: there is 1 m behind it, and it rests
    assert abs(held["x"][-1] - 1) < 1e-9 and abs(held["x'"][-1]) < 1e-9
    linear = scene.run(inputs={"push": (times, values, "linear")})
    # force 1 - 2 t, then t - 2: momentum 0, then -1/2
    assert abs(linear["x'"][-1] + 0.5) < 1e-9
    (tmp_path / "push.csv").write_text("t,push\n0,1\n1,-1\n2,0\n")
    (tmp_path / "cart.yaml").write_text(CART.replace("end: 5", "end: 3").replace("x - 1,", "x - 9,"))
    for how, expected in (("held", held), ("linear", linear)):
        summary = json.loads(program("run", tmp_path / "cart.yaml", "--input", f"push={tmp_path / 'push.csv'}:push,{how}", "--summary"))
        assert summary["q"] == list(expected.q[-1])
    # The same in the scene, and as results know it.
    for how, expected in (("held", held), ("linear", linear)):
        table = "{points: [[0, 1], [1, -1], [2, 0]], interpolation: %s}" % how
        by_scene = zeno.Scene(scene.text.replace("push: 0", "push: " + table)).run()
        assert numpy.array_equal(by_scene.q, expected.q)
        assert numpy.array_equal(zeno.Scene(expected.as_run).run().q, expected.q) and numpy.array_equal(zeno.Scene(by_scene.as_run).run().q, expected.q)
    constant = scene.run(inputs={"push": 0.7})
    assert numpy.array_equal(zeno.Scene(constant.as_run).run().q, constant.q) and abs(constant["x'"][-1] - 2.1) < 1e-9
    simulation = scene.simulation(inputs={"push": (times, values)})
    with pytest.raises(zeno.Error, match="follows a table"):
        simulation.inputs["push"] = 1
    for wrong, kind, sentence in [(([0, 1], [1]), ValueError, "2 times, but 1"), (([1, 0], [1, 2]), zeno.Error, "ascend"),
                                  (([0, 1], [1, 2], "curly"), ValueError, "curly"), (([0],), TypeError, "times, values"), ([1, 2], TypeError, "number"),
                                  (True, TypeError, "number"), (([0, 1], [1, numpy.nan]), zeno.Error, ""), (([[0, 1]], [[1, 2]]), ValueError, "vector")]:
        with pytest.raises(kind, match=sentence):
            scene.run(inputs={"push": wrong})
    for name in ("seen", "far", "nothing"):
        with pytest.raises(zeno.Error, match=name):
            scene.run(inputs={name: 1})


def test_copies_go_on_by_themselves():
    scene = zeno.Scene(CART)
    simulation = scene.simulation(inputs={"push": ([0, 0.3, 0.6], [1, 3, 2])})
    for _ in range(20):
        simulation.step()
    other = copy.deepcopy(simulation)
    expected = simulation.run()
    assert other.t == expected.t[0]
    found = other.run()
    assert numpy.array_equal(found.q, expected.q) and found.message == "far enough"
    other.reset()  # to the start, with its table
    assert other.t == 0 and numpy.array_equal(other.run().q[-1], expected.q[-1])


def test_located_contact_events(root):
    scene = zeno.load(root / "scenes" / "bouncing-ball.yaml")
    simulation = scene.simulation(scheme="radau-2a:2", contact_events="located", step=1e-2, end=1.5)
    result = simulation.run()
    events = result.contact_events
    assert list(events["kind"][:2]) == ["impact", "impact"] and set(events["contact"]) == set(scene.contacts)
    assert result.statistics["events_located"] == len(events["time"]) == len(simulation.contact_events)
    first = simulation.contact_events[0]
    assert first["time"] == events["time"][0] and first["kind"] == "impact" and first["contact"] == events["contact"][0]
    restitution = -events["normal_after"] / events["normal_before"]
    assert numpy.abs(restitution - restitution[0]).max() < 1e-9  # Newton's law, of each impact


def test_outputs_of_forces_and_accelerations():
    scene = zeno.Scene(gravity=[0, -9.81], simulation={"scheme": "radau-2a", "step": 1e-2, "end": 0.5})
    scene.body("rod", type="planar", mass=2, inertia=1, position=[0, -1])
    scene.joint("hinge", type="revolute", between=["world", "rod"], at=[0, 0])
    scene.set(outputs={"carried": "hinge.force_y", "rising": "rod.y''"})
    simulation = scene.simulation()
    result = simulation.run()
    assert scene.outputs == ["carried", "rising"] and set(simulation.outputs) == {"carried", "rising"}
    assert numpy.abs(result["carried"] - 2 * 9.81).max() < 1e-8 and numpy.abs(result["rising"]).max() < 1e-8  # it hangs
    assert abs(simulation["carried"] - 2 * 9.81) < 1e-8


def test_found_contacts_of_the_present():
    scene = zeno.Scene({"gravity": [0, -9.81], "bodies": {"ball": {"type": "planar", "shape": {"type": "disk", "radius": 0.1}, "mass": 2, "position": [0, 0.1]}},
                        "geometry": {"floor": {"type": "line"}}, "contacts": {"all": {"between": "all", "friction": 0.3}},
                        "simulation": {"scheme": "rattle", "step": 1e-2, "end": 1}})
    simulation = scene.simulation()
    simulation.step()
    (contact,) = simulation.found_contacts
    assert set(contact["shapes"]) == {"ball", "floor"} and abs(contact["push"] - 2 * 9.81 * 1e-2) < 1e-10 and abs(contact["gap"]) < 1e-9
    assert simulation.statistics["contacts_found"] and simulation.statistics["found_max"] == 1


def test_tables_of_what_there_is(root):
    assert {"revolute", "prismatic"} <= {joint.name for joint in zeno.joints()}
    assert {"box", "mesh"} <= {shape.name for shape in zeno.shapes()}
    assert "spring" in {force.name for force in zeno.forces()}
    settings = {setting.name: setting for setting in zeno.settings()}
    assert set(settings) == set(zeno.load(root / "scenes" / "chain.yaml").settings) and settings["accuracy"].default == "1e-6"


def test_a_result_is_run_again(root, tmp_path):
    result = zeno.load(root / "scenes" / "rotating-ball.yaml", omega=30).run(scheme="radau-2a:3", step=2e-3, end=0.3, out=tmp_path / "ball.h5")
    again = zeno.load(tmp_path / "ball.h5")
    assert again.settings["step"] == 2e-3 and numpy.array_equal(again.run().q, result.q) and again.text == result.as_run
    assert numpy.array_equal(zeno.Scene(result.as_run).run().q, result.q)
    with pytest.raises(zeno.SceneError, match="no such file|cannot be read"):
        zeno.load(tmp_path / "nothing.h5")
