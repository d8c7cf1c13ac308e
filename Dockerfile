# One Dockerfile for every service: docker build --build-arg SERVICE=rooms --tag circolo-rooms .
# SERVICE is rooms, cardgames, ledger, tombola, trivia, projector or gateway. The target `setup` prepares a database for all of them.

FROM python:3.11-slim AS packages
WORKDIR /build
COPY requirements.in requirements.txt ./
# Every pin is fetched and checked against its hash; what requirements.in lists for the services is installed.
RUN python -m venv pip \
 && pip/bin/pip download --quiet --no-cache-dir --only-binary=:all: --require-hashes -r requirements.txt -d wheels \
 && sed '/^# --- the embedded servers/,$d' requirements.in > services.in \
 && python -m venv --without-pip /venv \
 && pip/bin/pip --python /venv/bin/python install --quiet --no-cache-dir --no-index --find-links wheels -r services.in

FROM python:3.11-slim AS base
COPY --from=packages /venv /venv
ENV PATH=/venv/bin:$PATH PYTHONUNBUFFERED=1 PYTHONDONTWRITEBYTECODE=1
WORKDIR /app
COPY libs/contracts libs/contracts
COPY libs/events libs/events
COPY libs/service libs/service

FROM base AS setup
COPY libs/devstack libs/devstack
ENV PYTHONPATH=/app/libs/devstack/src
# Volumes that are mounted here take over the owner of these folders.
RUN python -m compileall -q libs \
 && install -d -o 10001 -g 10001 -m 0700 /keys/private /keys/public
USER 10001:10001
ENTRYPOINT ["python", "-m", "circolo_devstack.prepare"]

FROM base AS service
ARG SERVICE
COPY services/${SERVICE} services/${SERVICE}
ENV PYTHONPATH=/app/libs/contracts/src:/app/libs/events/src:/app/libs/service/src:/app/services/${SERVICE}/src \
    CIRCOLO_HTTP_HOST=0.0.0.0 CIRCOLO_HTTP_PORT=8080 CIRCOLO_HEALTH_HOST=0.0.0.0 CIRCOLO_HEALTH_PORT=8081
# The exec form of ENTRYPOINT knows no variables, so the service's name goes into a program of two lines.
RUN printf '#!/bin/sh\nexec python -m circolo_%s "$@"\n' "${SERVICE:?say which: --build-arg SERVICE=rooms}" > /usr/local/bin/circolo-service \
 && chmod 0755 /usr/local/bin/circolo-service \
 && python -m compileall -q libs services
USER 10001:10001
EXPOSE 8080 8081
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=5s --timeout=3s --start-period=40s --retries=3 \
    CMD ["python", "-I", "-S", "-c", "import http.client, os, sys; c = http.client.HTTPConnection('127.0.0.1', int(os.environ['CIRCOLO_HEALTH_PORT']), timeout=2); c.request('GET', '/readyz'); sys.exit(c.getresponse().status != 200)"]
ENTRYPOINT ["circolo-service"]
