"""Few examples each: the rendering of whole journals is slow, and every run draws others."""

from hypothesis import HealthCheck, settings

settings.register_profile(
    "bot", max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large]
)
settings.load_profile("bot")
