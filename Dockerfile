# syntax=docker/dockerfile:1
# Build: docker build -t handrail .    Run: see deploy/compose.yml

FROM python:3.13-slim-bookworm AS build
ENV PIP_NO_CACHE_DIR=1 UV_NO_CACHE=1 PYTHONDONTWRITEBYTECODE=1
WORKDIR /app
# Only what decides the packages, so that a change of the code reuses this layer.
COPY pyproject.toml requirements.lock requirements-bootstrap.lock requirements-sandbox.lock ./
COPY scripts ./scripts
# From the lock files, hashes checked: the bot's environment in /app/.venv, and the one for generated code, which
# every user can read, in /var/lib/handrail.
RUN python -m scripts.prepare image \
    && rm -f .venv/bin/uv .venv/bin/uvx

FROM python:3.13-slim-bookworm AS run
# bubblewrap is the stronger sandbox where the host allows user namespaces; tini reaps what a sandbox leaves; git makes
# the commits of `publish`, and ripgrep searches faster than the fallback.
RUN apt-get update \
    && apt-get install -y --no-install-recommends bubblewrap git ripgrep tini \
    && rm -rf /var/lib/apt/lists/* \
    && groupadd --gid 10001 handrail \
    && useradd --uid 10001 --gid 10001 --no-create-home --home-dir /data --shell /usr/sbin/nologin handrail \
    && install -d -o 10001 -g 10001 -m 0750 /data
WORKDIR /app
COPY --from=build /app/.venv ./.venv
COPY --from=build /var/lib/handrail /var/lib/handrail
COPY LICENSE manifest.yml ./
COPY tools ./tools
COPY runtime ./runtime
COPY bot ./bot
ENV PATH=/app/.venv/bin:/usr/local/bin:/usr/bin:/bin \
    PYTHONUNBUFFERED=1 \
    PYTHONDONTWRITEBYTECODE=1 \
    HOME=/data \
    HANDRAIL_DATA=/data
VOLUME ["/data"]
EXPOSE 8080
USER 10001:10001
HEALTHCHECK --interval=15s --timeout=5s --start-period=30s --retries=3 \
    CMD ["python", "-c", "import urllib.request; urllib.request.urlopen('http://127.0.0.1:8080/healthz', timeout=4)"]
ENTRYPOINT ["tini", "--", "python", "-m", "bot"]
CMD ["serve"]
