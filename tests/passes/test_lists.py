"""The lists of passes and pipelines hold what there is, and only that."""

import pkgutil
from importlib import import_module

import pytest
from xdsl.passes import ModulePass

import teloom.passes
from teloom.driver.pipeline_spec import parse_passes
from teloom.driver.registry import load_universe
from teloom.passes import get_all_passes
from teloom.passes.pipelines import PIPELINES


def test_every_pass_is_listed():
    defined: set[type[ModulePass]] = set()
    for module in pkgutil.walk_packages(teloom.passes.__path__, "teloom.passes."):
        for value in vars(import_module(module.name)).values():
            if isinstance(value, type) and issubclass(value, ModulePass):
                if value.__module__ == module.name:
                    defined.add(value)
    assert defined == {factory() for factory in get_all_passes().values()}


@pytest.mark.parametrize("name", get_all_passes())
def test_names_agree(name: str):
    pass_type = get_all_passes()[name]()
    module = name.replace("-", "_")
    assert pass_type.name == name
    assert pass_type.__module__.rpartition(".")[2] == module
    assert pass_type.__name__ == "".join(part.capitalize() for part in name.split("-")) + "Pass"


@pytest.mark.parametrize("name", PIPELINES)
def test_pipeline(name: str):
    specs = ",".join(spec for spec, _ in PIPELINES[name])
    assert parse_passes(name, load_universe().all_passes, PIPELINES) == parse_passes(
        specs, load_universe().all_passes, {}
    )
    assert all(reason for _, reason in PIPELINES[name])
