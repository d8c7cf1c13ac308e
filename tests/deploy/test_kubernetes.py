from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import kubernetes_validate
from circolo_devstack.services import SERVICES

ROOT = Path(__file__).parents[2]
KUBERNETES = "1.35"
OF_OPERATORS = {"PodMonitor", "PrometheusRule"}
"""Kinds that Kubernetes itself does not know; nothing here has their schemas."""
OURS = [spec.name for spec in SERVICES]
IN_DATA = {"matchLabels": {"kubernetes.io/metadata.name": "circolo-data"}}
Manifests = Any
Resource = dict[str, Any]


def container(template: Resource) -> Resource:
    found: list[Resource] = template["spec"]["containers"]
    assert len(found) == 1
    return found[0]


def variables(template: Resource) -> dict[str, Resource]:
    return {entry["name"]: entry for entry in container(template).get("env", [])}


def settings(manifests: Manifests, template: Resource) -> dict[str, str]:
    """What the container gets from ConfigMaps."""
    maps = manifests.of("ConfigMap")
    found: dict[str, str] = {}
    for source in container(template).get("envFrom", []):
        if "configMapRef" in source:
            found |= maps[source["configMapRef"]["name"]]["data"]
    return found


def test_every_resource_fits_its_schema(manifests: Manifests) -> None:
    for resource in manifests.all:
        if resource["kind"] not in OF_OPERATORS:
            kubernetes_validate.validate(resource, KUBERNETES, strict=True)
    assert {found["metadata"].get("namespace", "circolo") for found in manifests.all} == {"circolo"}


def test_every_service_is_whole(manifests: Manifests) -> None:
    for kind in ("Deployment", "ServiceAccount", "PodDisruptionBudget", "NetworkPolicy"):
        assert [name for name in OURS if name not in manifests.of(kind)] == [], kind
    assert set(manifests.of("Deployment")) == set(OURS)
    migrated = {
        command["command"][3]
        for job in manifests.of("Job").values()
        if "command" in (command := container(job["spec"]["template"]))
    }
    assert migrated == {spec.name for spec in SERVICES if spec.owns_schema}


def test_the_base_stands_by_itself(render: Callable[[str], Manifests]) -> None:
    base = render("base")
    assert set(base.of("Deployment")) == set(OURS)
    for resource in base.all:
        kubernetes_validate.validate(resource, KUBERNETES, strict=True)


def test_the_namespace_lets_in_only_restricted_pods(manifests: Manifests) -> None:
    labels = manifests.of("Namespace")["circolo"]["metadata"]["labels"]
    assert labels["pod-security.kubernetes.io/enforce"] == "restricted"


def test_every_pod_is_restricted(manifests: Manifests) -> None:
    for owner, template in manifests.pods().items():
        pod = template["spec"]["securityContext"]
        assert pod["runAsNonRoot"] is True, owner
        assert pod["runAsUser"] == pod["runAsGroup"] == 10001, owner
        assert pod["seccompProfile"] == {"type": "RuntimeDefault"}, owner
        own = container(template)["securityContext"]
        assert own == {
            "allowPrivilegeEscalation": False, "readOnlyRootFilesystem": True, "capabilities": {"drop": ["ALL"]},
        }, owner  # fmt: skip
        assert not {"hostNetwork", "hostPID", "hostIPC"} & set(template["spec"]), owner
        for volume in template["spec"].get("volumes", []):
            assert set(volume) - {"name"} <= {"emptyDir", "secret"}, owner


def test_no_pod_gets_a_token_of_the_cluster(manifests: Manifests) -> None:
    accounts = manifests.of("ServiceAccount")
    for owner, template in manifests.pods().items():
        assert template["spec"]["automountServiceAccountToken"] is False, owner
        assert accounts[template["spec"]["serviceAccountName"]]["automountServiceAccountToken"] is False, owner
        assert template["spec"]["enableServiceLinks"] is False, owner
    assert "default" not in accounts


def test_a_new_pod_is_ready_before_an_old_one_goes(manifests: Manifests) -> None:
    for deployment in manifests.of("Deployment").values():
        assert deployment["spec"]["strategy"]["rollingUpdate"] == {"maxUnavailable": 0, "maxSurge": 1}


def test_liveness_asks_no_server_and_readiness_does(manifests: Manifests) -> None:
    for name, deployment in manifests.of("Deployment").items():
        own = container(deployment["spec"]["template"])
        ports = {port["name"]: port["containerPort"] for port in own["ports"]}
        paths = {}
        for probe in ("startupProbe", "livenessProbe", "readinessProbe"):
            asked = own[probe]["httpGet"]
            assert ports[asked["port"]] == 8081, name
            paths[probe] = asked["path"]
        assert paths == {"startupProbe": "/livez", "livenessProbe": "/livez", "readinessProbe": "/readyz"}


def test_the_grace_is_longer_than_prestop_and_drain_by_ten_seconds(manifests: Manifests) -> None:
    for name, deployment in manifests.of("Deployment").items():
        template = deployment["spec"]["template"]
        before = container(template)["lifecycle"]["preStop"]["sleep"]["seconds"]
        drain = float(settings(manifests, template)["CIRCOLO_DRAIN_SECONDS"])
        assert template["spec"]["terminationGracePeriodSeconds"] >= before + drain + 10, name


def test_every_pod_asks_for_what_it_needs_and_has_a_memory_limit(manifests: Manifests) -> None:
    for owner, template in manifests.pods().items():
        resources = container(template)["resources"]
        assert {"cpu", "memory"} == set(resources["requests"]), owner
        assert set(resources["limits"]) == {"memory"}, f"{owner}: a limit of the processor only makes moves slow"


def test_replicas_are_spread(manifests: Manifests) -> None:
    for deployment in manifests.of("Deployment").values():
        spread = deployment["spec"]["template"]["spec"]["topologySpreadConstraints"]
        assert {rule["topologyKey"] for rule in spread} == {"topology.kubernetes.io/zone", "kubernetes.io/hostname"}
        for rule in spread:
            assert "app.kubernetes.io/name" in rule["matchLabelKeys"], "counted for each service by itself"


def test_a_drained_node_takes_one_replica_at_a_time(manifests: Manifests) -> None:
    deployments = manifests.of("Deployment")
    for name, budget in manifests.of("PodDisruptionBudget").items():
        assert budget["spec"]["maxUnavailable"] == 1
        assert budget["spec"]["selector"] == deployments[name]["spec"]["selector"]


def test_one_owner_of_replicas(render: Callable[[str], Manifests]) -> None:
    prod = render("overlays/prod")
    scaled = [found["spec"]["scaleTargetRef"]["name"] for found in prod.of("HorizontalPodAutoscaler").values()]
    assert len(scaled) == len(set(scaled))
    for name, deployment in prod.of("Deployment").items():
        assert ("replicas" in deployment["spec"]) != (name in scaled), name
    for autoscaler in prod.of("HorizontalPodAutoscaler").values():
        assert autoscaler["spec"]["minReplicas"] >= 2
    assert prod.of("Deployment")["projector"]["spec"]["replicas"] >= 2


# ---------------------------------------------------------------- images and releases


def test_every_image_has_a_version_and_all_of_ours_the_same(manifests: Manifests) -> None:
    images = {container(template)["image"] for template in manifests.pods().values()}
    tags = {image.rpartition(":")[2] for image in images}
    assert len(tags) == 1
    assert not {"", "latest"} & tags
    assert {image.rpartition(":")[0] for image in images} >= {f"circolo-{name}" for name in OURS}


def test_each_release_has_migration_jobs_of_its_own(manifests: Manifests) -> None:
    for name, job in manifests.of("Job").items():
        tag = container(job["spec"]["template"])["image"].rpartition(":")[2]
        assert name.endswith(f"-{tag}"), "a Job never changes; a new version needs a new name"
        assert len(name) <= 52, "its pods add eleven characters"


def test_migrations_go_past_a_pooler_and_services_wait_for_them(manifests: Manifests) -> None:
    for name, job in manifests.of("Job").items():
        if not name.startswith("setup"):
            assert "CIRCOLO_POSTGRES_DIRECT_URL" in variables(job["spec"]["template"]), name
    for name, deployment in manifests.of("Deployment").items():
        assert settings(manifests, deployment["spec"]["template"])["CIRCOLO_MIGRATE_AT_START"] == "false", name


# ---------------------------------------------------------------- secrets and settings


def test_each_service_sees_its_own_secrets_only(manifests: Manifests) -> None:
    for spec in SERVICES:
        template = manifests.of("Deployment")[spec.name]["spec"]["template"]
        allowed = {f"circolo-{spec.name}", "circolo-nats"}
        allowed |= {"circolo-token-private"} if spec.signs_tokens else set()
        allowed |= {"circolo-token-public"} if spec.verifies_tokens else set()
        used = {
            entry["valueFrom"]["secretKeyRef"]["name"] for entry in variables(template).values() if "valueFrom" in entry
        }
        used |= {volume["secret"]["secretName"] for volume in template["spec"]["volumes"] if "secret" in volume}
        assert used == allowed, spec.name


def test_no_secret_is_in_the_manifests(manifests: Manifests) -> None:
    assert manifests.of("Secret") == {}
    for owner, template in manifests.pods().items():
        for name, entry in variables(template).items():
            assert "value" not in entry or "@" not in entry["value"], f"{owner}: {name}"


def test_every_variable_is_a_setting_that_there_is(manifests: Manifests) -> None:
    known = set(re.findall(r"^\| `([A-Z_]+)`", (ROOT / "docs/settings.md").read_text(encoding="utf-8"), re.MULTILINE))
    for owner, template in manifests.pods().items():
        used = set(variables(template)) | set(settings(manifests, template))
        assert used <= known, owner


# ---------------------------------------------------------------- the network


def selected(policy: Resource, labels: Resource) -> bool:
    wanted = policy["spec"]["podSelector"].get("matchLabels", {})
    return all(labels.get(name) == value for name, value in wanted.items())


def test_nothing_comes_in_or_goes_out_that_no_policy_names(manifests: Manifests) -> None:
    deny = manifests.of("NetworkPolicy")["default-deny"]["spec"]
    assert deny == {"podSelector": {}, "policyTypes": ["Ingress", "Egress"]}


def test_every_way_has_an_end_and_a_port(manifests: Manifests) -> None:
    for name, policy in manifests.of("NetworkPolicy").items():
        for direction, ends in (("ingress", "from"), ("egress", "to")):
            for rule in policy["spec"].get(direction, []):
                assert rule[ends], name
                assert all(end.get("namespaceSelector", {}).get("matchLabels") for end in rule[ends]), name
                assert all(port["port"] and port["protocol"] in ("TCP", "UDP") for port in rule["ports"]), name


def test_each_pod_reaches_its_servers_and_nothing_else(manifests: Manifests) -> None:
    for owner, template in manifests.pods().items():
        labels = template["metadata"]["labels"]
        ways = set()
        for policy in manifests.of("NetworkPolicy").values():
            if selected(policy, labels):
                for rule in policy["spec"].get("egress", []):
                    inside = all(end["namespaceSelector"] == IN_DATA for end in rule["to"])
                    ways |= {(inside, port["port"]) for port in rule["ports"]}
        servers = {(True, 5432), (True, 4222)} if owner.startswith("Deployment") else {(True, 5432)}
        assert ways == {(False, 53), *servers}, owner


def test_only_the_gateway_is_reached_by_players(manifests: Manifests) -> None:
    open_ports: dict[str, set[int]] = {}
    for owner, template in manifests.pods().items():
        for policy in manifests.of("NetworkPolicy").values():
            if selected(policy, template["metadata"]["labels"]):
                for rule in policy["spec"].get("ingress", []):
                    open_ports.setdefault(owner, set()).update(port["port"] for port in rule["ports"])
    assert {owner for owner, ports in open_ports.items() if ports - {8081}} == {
        f"Deployment/{spec.name}" for spec in SERVICES if spec.serves_http
    }
    assert list(manifests.of("Service")) == [spec.name for spec in SERVICES if spec.serves_http]
    service, template = manifests.of("Service")["gateway"]["spec"], manifests.pods()["Deployment/gateway"]
    assert service["selector"].items() <= template["metadata"]["labels"].items()
    assert service["ports"][0]["targetPort"] in {port["name"] for port in container(template)["ports"]}


# ---------------------------------------------------------------- alerts


def test_alerts_ask_for_metrics_that_the_code_makes(render: Callable[[str], Manifests]) -> None:
    sources = "".join(path.read_text(encoding="utf-8") for path in ROOT.glob("*/*/src/**/*.py"))
    made = {name.replace(".", "_") for name in re.findall(r'"(circolo\.[a-z_.]+)"', sources)}
    rules = [
        rule
        for group in render("overlays/prod").of("PrometheusRule")["circolo"]["spec"]["groups"]
        for rule in group["rules"]
    ]
    assert len(rules) >= 5
    page = (ROOT / "docs/operations.md").read_text(encoding="utf-8")
    for rule in rules:
        for metric in re.findall(r"\b(circolo_[a-z_]+)", rule["expr"]):
            plain = re.sub(r"_(total|bucket)$", "", metric)
            assert {plain, re.sub(r"_(seconds|milliseconds|bytes)$", "", plain)} & made, metric
            assert plain in page, f"docs/operations.md says nothing of {plain}"
        assert rule["alert"] in page, "docs/operations.md says what to do"


def test_operators_read_of_every_service() -> None:
    page = (ROOT / "docs/operations.md").read_text(encoding="utf-8")
    assert [name for name in OURS if f"`{name}`" not in page] == []
