"""PrepareParameters: the constructor of `Prepare`; `parameters.pyi` shows it."""

from supersparse.base.schema.setting import constructor, helps_of, parameters_of
from supersparse.learn.prepare.settings import PrepareSettings

PrepareParameters = constructor(*parameters_of(PrepareSettings), help=helps_of(PrepareSettings))
