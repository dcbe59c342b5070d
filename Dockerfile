# docker build -t tensorsh . && docker run --rm -i tensorsh -c "randn(2, 3)"
# For programs of strangers: docker run --rm -i --network none --read-only --memory 1g tensorsh - < program.tsr

FROM python:3.13-slim AS build
# hadolint ignore=DL3008
RUN apt-get update && apt-get install -y --no-install-recommends gcc libc6-dev && rm -rf /var/lib/apt/lists/*
COPY . /src
RUN python -m venv /opt/tensorsh \
    && TENSORSH_BUILD=strict /opt/tensorsh/bin/python -m pip install --no-cache-dir /src \
    && /opt/tensorsh/bin/python -m pip uninstall -y pip \
    && find /opt/tensorsh -type d -name tests -prune -exec rm -rf {} +

FROM python:3.13-slim
COPY --from=build /opt/tensorsh /opt/tensorsh
RUN useradd --create-home --uid 1000 tensorsh
USER 1000
WORKDIR /home/tensorsh
ENV PATH=/opt/tensorsh/bin:$PATH PYTHONDONTWRITEBYTECODE=1
ENTRYPOINT ["tensorsh"]
