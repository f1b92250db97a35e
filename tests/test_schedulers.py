"""What all schedulers share: names, the model, static and per-pod bindings, pods, patches, and the command."""

from __future__ import annotations

import io
import json
from copy import deepcopy
from pathlib import Path
from typing import TYPE_CHECKING, Any

import jsonpatch
import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from tests.conftest import small_mapping
from workloadmap_spec import Catalog
from workloadmap_spec.cli import gang_scheduler, main
from workloadmap_spec.errors import InputError, UpdateInvalidError, UpdateUnsupportedError
from workloadmap_spec.schedulers.model import Options
from workloadmap_spec.schedulers.names import MAX_NAME, labels, object_names
from workloadmap_spec.schedulers.patch import patch_workload
from workloadmap_spec.schedulers.pods import bind_pods
from workloadmap_spec.schedulers.render import FORMATS, full_version, versions

if TYPE_CHECKING:
    from workloadmap_spec.schedulers.render import Rendered

ROOT = Path(__file__).resolve().parents[1]
INPUTS = ROOT / "tests" / "data" / "schedulers"


def load(file: str, **metadata: str | None) -> list[Any]:
    """The documents of an input, the first being the workload; what is None is taken out of its metadata."""
    documents = list(yaml.safe_load_all((INPUTS / f"{file}.yaml").read_text()))
    found = {**documents[0]["metadata"], **metadata}
    documents[0]["metadata"] = {key: value for key, value in found.items() if value is not None}
    return documents


def render(file: str, scheduler: str = "kai", options: Options | None = None, **metadata: str | None) -> Rendered:
    """The groups of an input for a scheduler."""
    workload, *references = load(file, **metadata)
    return Catalog.builtin().gang(workload, scheduler, options, references)


def pod(name: str, labels: dict[str, str]) -> dict[str, Any]:
    """A pod of the namespace that the inputs are in."""
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name, "namespace": "ml", "labels": labels},
        "spec": {"containers": [{"name": "main", "image": "example/main"}]},
    }


def lws_pod(group: int, worker: int) -> dict[str, Any]:
    """A pod of the LeaderWorkerSet."""
    prefix = "leaderworkerset.sigs.k8s.io"
    return pod(
        f"serve-{group}-{worker}",
        {f"{prefix}/name": "serve", f"{prefix}/group-index": str(group), f"{prefix}/worker-index": str(worker)},
    )


# Names

TEXTS = st.lists(st.text(st.characters(codec="utf-8"), max_size=90), max_size=8)


@given(TEXTS)
def test_names_are_dns_labels_and_differ_where_texts_do(texts: list[str]) -> None:
    """Equal texts have equal names, other texts other names, each a DNS label."""
    names = labels(texts)
    for name in names:
        assert 0 < len(name) <= MAX_NAME
        assert name.isascii()
        assert name == name.lower()
        assert name.replace("-", "a").isalnum()
        assert name[0] != "-" != name[-1]
    assert len(set(names)) == len(set(texts))
    assert dict(zip(texts, names, strict=True)) == dict(zip(reversed(texts), reversed(names), strict=True))


@given(TEXTS)
def test_names_of_objects_differ_where_texts_do(texts: list[str]) -> None:
    """The same for objects, whose names may hold dots, but not begin or end with one."""
    names = object_names(texts)
    assert len(set(names)) == len(set(texts))
    for name in names:
        assert 0 < len(name) <= MAX_NAME
        assert name[0] not in "-."
        assert name[-1] not in "-."


def test_short_names_stay() -> None:
    """A name that is one already is kept, and upper case and other characters are turned."""
    assert labels(["worker", "Master", "job/worker/0"]) == ["worker", "master", "job-worker-0"]
    assert object_names(["train-1.2", "Train"]) == ["train-1.2", "train"]
    first, second = labels(["a-b", "a/b"])
    assert first != second
    assert first.startswith("a-b-")
    assert second.startswith("a-b-")


# Versions


def test_formats_are_the_same_everywhere() -> None:
    """The command names the formats for its help without importing them."""
    assert tuple(FORMATS) == gang_scheduler.FORMATS


@pytest.mark.parametrize("name", FORMATS)
def test_versions_are_found_by_either_name(name: str) -> None:
    """A version is named as objects have it, or by its last part."""
    for version in versions(name):
        assert full_version(name, version) == version
        assert full_version(name, version.rpartition("/")[2]) == version
    assert full_version(name, None) == versions(name)[0]
    with pytest.raises(ValueError, match="has no API version v0 here"):
        full_version(name, "v0")


def test_a_format_that_does_not_exist() -> None:
    """A format that nobody knows is a `KeyError` with its name."""
    with pytest.raises(KeyError, match="slurm"):
        render("jobset", "slurm")


# Bindings


def test_a_workload_without_a_name() -> None:
    """Nothing can be named after a workload without a name."""
    with pytest.raises(InputError, match="has no name"):
        render("jobset", name=None, generateName="train-")


def test_what_is_the_same_for_all_pods_stands_in_the_template() -> None:
    """A JobSet's two templates say everything."""
    found = render("jobset").to_dict()
    assert [entry["binding"] for entry in found["bindings"]] == ["static", "static"]
    assert all("perPod" not in entry for entry in found["bindings"])


def test_what_differs_between_groups_is_for_each_pod() -> None:
    """A LeaderWorkerSet's template says what the groups share; the group itself is for each pod."""
    leader, worker = render("leaderworkerset").to_dict()["bindings"]
    assert leader["labels"] == {"kai.scheduler/subgroup-name": "leader"}
    assert worker["annotations"] == {"kai.scheduler/skip-podgrouper": "true"}
    assert [entry["annotations"] for entry in worker["perPod"]] == [
        {"pod-group-name": "serve-group-0"},
        {"pod-group-name": "serve-group-1"},
    ]
    assert worker["perPod"][1]["at"] == [{"component": "group", "instance": "group", "replica": 1}]
    assert "spec" not in worker["perPod"][1]


def test_one_group_alone_is_static() -> None:
    """With one replica, there is one group for all pods of a template; it is told that this holds for one."""
    workload = load("leaderworkerset")[0]
    workload["spec"]["replicas"] = 1
    found = Catalog.builtin().gang(workload, "kai")
    assert [entry["binding"] for entry in found.to_dict()["bindings"]] == ["static", "static"]
    assert any("there is one replica, and the template of leader" in message.text for message in found.messages)


def test_what_is_no_value_of_a_label_is_told() -> None:
    """An API server would refuse it."""
    messages = render("jobset", "kueue", Options(queue="team a")).messages
    assert [message.severity for message in messages] == ["error"]
    assert "'team a' cannot be the value of the label kueue.x-k8s.io/queue-name" in messages[0].text


def test_pods_for_another_scheduler_are_told() -> None:
    """The groups of Kubernetes are read by its own scheduler."""
    workload = load("jobset")[0]
    workload["spec"]["replicatedJobs"][0]["template"]["spec"]["template"]["spec"]["schedulerName"] = "volcano"
    messages = Catalog.builtin().gang(workload, "native").messages
    assert any("name the scheduler volcano" in message.text for message in messages)


def test_groups_that_a_controller_makes_are_left_to_it() -> None:
    """Volcano's own Job replaces whatever its pods are given."""
    task = {"name": "a", "replicas": 2, "template": {"spec": {"containers": [{"name": "main"}]}}}
    job = {
        "apiVersion": "batch.volcano.sh/v1alpha1",
        "kind": "Job",
        "metadata": {"name": "j"},
        "spec": {"tasks": [task]},
    }
    rendered = Catalog.builtin().gang(job, "volcano")
    assert (rendered.rendering.objects, rendered.rendering.bindings) == ([], [])
    assert "makes its PodGroups itself" in rendered.messages[0].text
    assert Catalog.builtin().gang(job, "kai").rendering.objects


def test_the_whole_cluster_knows_an_application() -> None:
    """Without a namespace its id may be that of another."""
    messages = render("jobset", "yunikorn", namespace=None).messages
    assert any("namespace is not known" in message.text for message in messages)


def test_pods_in_no_group_are_told_and_left_alone() -> None:
    """The launcher that waits for the workers is in no group."""
    rendered = render("mpijob-wait-for-workers")
    assert [entry["component"] for entry in rendered.to_dict()["bindings"]] == ["worker"]
    assert "in no group, and left as they are: the pods of launcher launcher" in [
        message.text for message in rendered.messages
    ]


PARTIAL = """
components:
- name: worker
  replicas: object.spec.replicas
  podTemplate: object.spec.template
gang:
- name: first
  members: [{component: worker, replicas: {of: worker, from: 0, to: object.spec.first}}]
"""


def things(mapping: str, options: Options | None = None, scheduler: str = "kai", **spec: object) -> Rendered:
    """The groups of a kind that is made for a test."""
    workload = {
        "apiVersion": "x.example/v1",
        "kind": "Thing",
        "metadata": {"name": "thing", "namespace": "ml"},
        "spec": {name: {"spec": {"containers": [{"name": "main"}]}} for name in ("template", "other")} | spec,
    }
    return Catalog.builtin().with_documents([small_mapping(mapping)]).gang(workload, scheduler, options)


def test_a_group_of_some_replicas_is_no_matter_of_the_template() -> None:
    """Where some pods of a template are in no group, the template says nothing: the others must not be held."""
    rendered = things(PARTIAL, replicas=5, first=2)
    (bound,) = rendered.bound
    assert bound.is_partial
    assert not bound.is_static
    assert bound.template.to_dict() == {}
    with pytest.raises(UpdateUnsupportedError, match="some of its pods are in none"):
        patch_workload(Catalog.builtin(), {}, rendered)


def test_a_group_of_a_range_that_holds_all() -> None:
    """A range that holds every replica is no restriction, as far as the number is known."""
    assert things(PARTIAL, replicas=2, first=4).bound[0].is_static


def test_a_workload_without_groups() -> None:
    """No group, no object, no binding: and that is said."""
    rendered = things("components: [{name: worker, podTemplate: object.spec.template}]")
    assert rendered.to_dict() == {
        "workload": {"apiVersion": "x.example/v1", "kind": "Thing", "name": "thing", "namespace": "ml"},
        "format": "kai",
        "apiVersion": "scheduling.run.ai/v2alpha2",
        "objects": [],
        "bindings": [],
        "messages": [{"severity": "note", "message": "it has no pod groups: its pods may start one by one"}],
    }


def test_a_group_of_unknown_size_makes_nothing() -> None:
    """A minimum that nobody knows is an error, and no object."""
    rendered = things(
        """
components: [{name: worker, replicas: object.spec.replicas, podTemplate: object.spec.template}]
gang: [{name: workload, members: [worker]}]
""",
        replicas="many",
    )
    assert rendered.rendering.objects == []
    assert [message.severity for message in rendered.messages] == ["error"]


NESTED = """
components:
- name: set
  forEach: object.spec.sets
  instance: item.name
  components:
  - name: worker
    replicas: item.workers
    podTemplate: object.spec.template
gang:
- name: workload
  members: [worker]
"""


def test_places_are_named_by_as_little_as_tells_them_apart() -> None:
    """Two workers of two sets are told apart by the sets."""
    rendered = things(NESTED, sets=[{"name": "a", "workers": 1}, {"name": "b", "workers": 2}])
    assert [place.name for place in rendered.gang.places] == ["a-worker", "b-worker"]
    assert [place.instance for place in rendered.gang.places] == ["a/worker", "b/worker"]


def test_places_of_one_template_are_told_apart_pod_by_pod() -> None:
    """One template cannot say of which part a pod is, though both parts are in one group."""
    rendered = things(UNSAID, minimum=5)
    first, second = rendered.to_dict()["bindings"]
    assert first["template"] == second["template"] == "/spec/template"
    assert first["binding"] == second["binding"] == "perPod"
    assert first["annotations"] == second["annotations"]
    assert [entry["labels"] for entry in (*first["perPod"], *second["perPod"])] == [
        {"kai.scheduler/subgroup-name": "a"},
        {"kai.scheduler/subgroup-name": "b"},
    ]
    with pytest.raises(UpdateUnsupportedError, match="one template with those of b b"):
        patch_workload(Catalog.builtin(), {}, rendered)
    assert [bound.is_static for bound in things(UNSAID, None, "coscheduling", minimum=5).bound] == [True, True]


ROLES = """
components:
- name: pod
  forEach: object.spec.roles
  instance: item.name
  replicas: item.replicas
  minReplicas: item.least
  minAvailable: item.least
  podTemplate: object.spec.template
gang:
- name: workload
  members: [pod]
  subgroups:
  - {name: role, per: {replicaOf: pod}, members: [pod], topology: {required: object.spec.zone}}
"""


def roles(**least: int) -> list[dict[str, Any]]:
    """The subgroups of KAI for roles of two replicas each, of which so many are needed."""
    given = [{"name": name, "replicas": 2, "least": count} for name, count in least.items()]
    rendered = things(ROLES, Options(topology="own"), roles=given, zone="rack")
    found: list[dict[str, Any]] = rendered.rendering.objects[0]["spec"]["subGroups"]
    return [{name: value for name, value in entry.items() if name != "topologyConstraint"} for entry in found]


def test_some_of_each_role_are_a_node_for_each() -> None:
    """One of two replicas of either role: two of one role are not enough."""
    assert roles(a=1, b=2) == [
        {"name": "role-a", "minSubGroup": 1},
        {"name": "role-a-0", "parent": "role-a", "minMember": 1},
        {"name": "role-a-1", "parent": "role-a", "minMember": 1},
        {"name": "role-b-0", "minMember": 1},
        {"name": "role-b-1", "minMember": 1},
    ]
    assert roles(a=0, b=1)[0] == {"name": "role-a", "minMember": 0}


# Pods


def test_pods_are_bound_to_their_groups() -> None:
    """Each pod of a LeaderWorkerSet gets the annotation of its own group."""
    rendered = render("leaderworkerset")
    bound = bind_pods(rendered, [lws_pod(1, 2), lws_pod(0, 0), pod("other", {"app": "other"})])
    assert [(one.name, one.binding.group.id if one.binding else None) for one in bound] == [
        ("serve-0-0", "group/0"),
        ("serve-1-2", "group/1"),
    ]
    last = bound[1].bound()
    assert last["metadata"]["annotations"]["pod-group-name"] == "serve-group-1"
    assert last["metadata"]["labels"]["kai.scheduler/subgroup-name"] == "worker"
    assert last["metadata"]["labels"]["leaderworkerset.sigs.k8s.io/name"] == "serve"
    assert last["spec"]["schedulerName"] == "kai-scheduler"
    patch = bound[1].to_dict()["patch"]
    assert jsonpatch.apply_patch(deepcopy(lws_pod(1, 2)), patch) == last


def test_a_pod_in_no_group_says_why() -> None:
    """A pod beyond the replicas, one that no component claims, and one of a group that makes nothing."""
    rendered = render("leaderworkerset")
    beyond = bind_pods(rendered, [lws_pod(7, 1)])[0]
    assert beyond.binding is None
    assert beyond.to_dict() == {
        "name": "serve-7-1",
        "namespace": "ml",
        "reason": "it is in no group, or nobody knows of which replica it is",
    }
    assert beyond.bound() == lws_pod(7, 1)
    lost = pod("serve-x", {"leaderworkerset.sigs.k8s.io/name": "serve"})
    assert bind_pods(rendered, [lost])[0].binding is None


# Trees

TREE = """
components:
- name: front
  replicas: 3
  minAvailable: 1
  podTemplate: object.spec.other
  pods: {match: '!("cell" in pod.metadata.labels)'}
- name: cell
  replicas: 3
  minAvailable: object.spec.needed
  pods: {replica: 'pod.metadata.labels["cell"]', match: '"cell" in pod.metadata.labels'}
  components:
  - {name: worker, replicas: 2, podTemplate: object.spec.template}
pods:
  selector: {app: object.metadata.name}
gang:
- name: workload
  members: [front, cell]
  topology: {required: object.spec.zone}
  subgroups:
  - {name: cell, per: {replicaOf: cell}, members: [worker], topology: {required: object.spec.rack}}
"""


def test_some_replicas_are_a_tree_for_kai() -> None:
    """One of three fronts, and two of three cells of two workers each, in whatever cells the pods are."""
    rendered = things(TREE, needed=2)
    (group,) = rendered.rendering.objects
    assert group["spec"]["subGroups"] == [
        {"name": "front", "minMember": 1},
        {"name": "cell", "minSubGroup": 2},
        *({"name": f"cell-{index}", "parent": "cell", "minMember": 2} for index in range(3)),
    ]
    front, worker = rendered.to_dict()["bindings"]
    assert front["binding"] == "static"
    assert [one["labels"]["kai.scheduler/subgroup-name"] for one in worker["perPod"]] == ["cell-0", "cell-1", "cell-2"]
    pods = [
        pod("a", {"app": "thing", "cell": "1"}),
        pod("b", {"app": "thing"}),
        pod("c", {"app": "thing", "cell": "9"}),
    ]
    labels_of = [one.bound()["metadata"]["labels"] for one in bind_pods(rendered, pods)]
    assert [one.get("kai.scheduler/subgroup-name") for one in labels_of] == ["cell-1", "front", None]


def test_all_replicas_are_no_tree() -> None:
    """Where every cell is needed, the parts say what the cells would."""
    (group,) = things(TREE, needed=3).rendering.objects
    assert group["spec"]["subGroups"] == [{"name": "front", "minMember": 1}, {"name": "worker", "minMember": 6}]


def test_a_topology_of_subgroups_is_a_tree() -> None:
    """A cell that lies in one rack must be told apart, though all are needed."""
    (group,) = things(TREE, Options(topology="own"), needed=3, rack="rack", zone="zone").rendering.objects
    rack = {"topology": "own", "requiredTopologyLevel": "rack"}
    assert group["spec"]["topologyConstraint"] == {"topology": "own", "requiredTopologyLevel": "zone"}
    assert group["spec"]["subGroups"] == [
        {"name": "front", "minMember": 1},
        *({"name": f"cell-{index}", "minMember": 2, "topologyConstraint": rack} for index in range(3)),
    ]


def test_levels_of_no_topology_are_told() -> None:
    """KAI's levels belong to a Topology, which nobody has named."""
    rendered = things(TREE, needed=3, zone="zone")
    assert any("zone is left out" in message.text for message in rendered.messages)
    assert "topologyConstraint" not in rendered.rendering.objects[0]["spec"]


def test_some_replicas_are_a_tree_for_kubernetes() -> None:
    """The same with groups of groups, which one version has."""
    rendered = things(TREE, Options("scheduling.k8s.io/v1alpha3", priority="high"), "native", needed=2, rack="rack")
    workload, root, front, cell, *cells = rendered.rendering.objects
    (template,) = workload["spec"]["compositePodGroupTemplates"]
    assert template["schedulingPolicy"] == {"gang": {"minGroupCount": 2}}
    assert [entry["name"] for entry in template["podGroupTemplates"]] == ["workload-front"]
    (inner,) = template["compositePodGroupTemplates"]
    assert inner["schedulingPolicy"] == {"gang": {"minGroupCount": 2}}
    assert [entry["schedulingPolicy"] for entry in inner["podGroupTemplates"]] == [{"gang": {"minCount": 2}}] * 3
    assert root["metadata"]["name"] == "thing"
    assert front["spec"]["parentCompositePodGroupName"] == "thing"
    assert cell["spec"]["parentCompositePodGroupName"] == "thing"
    assert [one["metadata"]["name"] for one in cells] == [f"thing-cell-cell-{index}" for index in range(3)]
    assert {one["spec"]["parentCompositePodGroupName"] for one in cells} == {"thing-cell"}
    assert {one["spec"]["schedulingConstraints"]["topology"][0]["key"] for one in cells} == {"rack"}
    assert {one["spec"]["priorityClassName"] for one in rendered.rendering.objects[1:]} == {"high"}


@pytest.mark.parametrize(
    ("scheduler", "version"),
    [
        ("volcano", "scheduling.volcano.sh/v1beta1"),
        ("coscheduling", "scheduling.x-k8s.io/v1alpha1"),
        ("yunikorn", ""),
        ("native", "scheduling.k8s.io/v1beta1"),
        ("native", "scheduling.k8s.io/v1alpha1"),
    ],
)
def test_who_knows_no_subgroups_is_told_nothing_of_them(scheduler: str, version: str) -> None:
    """And the user is, also of their topology."""
    messages = things(TREE, Options(version), scheduler, needed=2, rack="rack").messages
    assert any("is not told of its 3 subgroups" in message.text for message in messages)
    assert any("their topology is left out" in message.text for message in messages)


UNSAID = """
components:
- {name: a, replicas: 2, podTemplate: object.spec.template}
- {name: b, replicas: 3, podTemplate: object.spec.template}
gang:
- name: workload
  members: [a, b]
  minMember: object.spec.minimum
  subgroups:
  - {name: a, members: [a]}
  - {name: b, members: [b]}
"""


@pytest.mark.parametrize("scheduler", ["kai", "volcano", "coscheduling", "native"])
def test_a_minimum_that_is_no_sum_is_told(scheduler: str) -> None:
    """Four of five: nobody knows of which of the two subgroups, so that the number alone is kept."""
    rendered = things(UNSAID, None, scheduler, minimum=4)
    assert any(message.severity == "warning" for message in rendered.messages)
    specs = [one["spec"] for one in rendered.rendering.objects if one["kind"] == "PodGroup"]
    assert "4" in json.dumps(specs)
    assert "subGroups" not in json.dumps(specs)
    assert "minTaskMember" not in json.dumps(specs)


def test_one_shape_is_one_task_group() -> None:
    """YuniKorn needs a number for each shape; of one shape, the number of the whole is enough."""
    (binding, _other) = things(UNSAID, None, "yunikorn", minimum=4).rendering.bindings
    tasks = json.loads(binding.values.annotations["yunikorn.apache.org/task-groups"])
    assert tasks == [{"name": "workload", "minMember": 4, "minResource": {}}]


OTHER = UNSAID.replace("replicas: 3, podTemplate: object.spec.template", "replicas: 3, podTemplate: object.spec.other")


def test_pods_of_several_shapes_are_no_task_group() -> None:
    """Where the pods differ, YuniKorn cannot be told."""
    other = {"spec": {"containers": [{"name": "main"}], "nodeSelector": {"gpu": "yes"}}}
    rendered = things(OTHER, None, "yunikorn", minimum=4, other=other)
    assert rendered.rendering.bindings == []
    assert any(message.severity == "error" and "differ" in message.text for message in rendered.messages)
    whole = things(OTHER, None, "yunikorn", minimum=5, other=other).rendering.bindings[1]
    tasks = json.loads(whole.values.annotations["yunikorn.apache.org/task-groups"])
    assert tasks[1] == {"name": "b", "minMember": 3, "minResource": {}, "nodeSelector": {"gpu": "yes"}}


def test_places_without_a_template_are_no_task_group() -> None:
    """YuniKorn holds space for pods, of which nobody knows what they request."""
    spec = {"podgroups": [{"name": "a", "minReplicas": 1, "podReferences": [{"namespace": "ml", "name": "a-x"}]}]}
    gang = {"apiVersion": "scheduler.grove.io/v1alpha1", "kind": "PodGang", "metadata": {"name": "g"}, "spec": spec}
    rendered = Catalog.builtin().gang(gang, "yunikorn")
    assert rendered.rendering.bindings == []
    assert any("nobody knows what" in message.text for message in rendered.messages)


NONE_NEEDED = """
components: [{name: worker, replicas: 3, podTemplate: object.spec.template}]
gang: [{name: workload, members: [worker], minMember: 0}]
"""


def test_a_minimum_of_none() -> None:
    """What has a number takes the 0; what wants at least 1 has no group; Kubernetes has a policy without a gang."""
    assert things(NONE_NEEDED).rendering.objects[0]["spec"]["minMember"] == 0
    assert things(NONE_NEEDED, None, "volcano").rendering.objects[0]["spec"]["minMember"] == 0
    plugin = things(NONE_NEEDED, None, "coscheduling")
    assert plugin.rendering.objects == []
    assert any("nothing to wait for" in message.text for message in plugin.messages)
    (_workload, group) = things(NONE_NEEDED, None, "native").rendering.objects
    assert group["spec"]["schedulingPolicy"] == {"basic": {}}
    (binding,) = things(NONE_NEEDED, None, "yunikorn").rendering.bindings
    assert binding.values.annotations == {}


MANY = """
components:
- {name: worker, forEach: object.spec.names, instance: item, podTemplate: object.spec.template}
gang: [{name: worker, per: {instanceOf: worker}, members: [worker], topology: {required: item}}]
"""


@pytest.mark.parametrize("version", versions("native"))
def test_more_templates_than_a_workload_has(version: str) -> None:
    """Groups that are alike share a template; nine that differ are more than the API takes."""
    names = [f"group-{index}" for index in range(9)]
    rendered = things(MANY, Options(version), "native", names=names)
    if version.endswith("v1alpha1"):
        # There is no topology, so that all are alike.
        (workload,) = rendered.rendering.objects
        assert workload["spec"]["podGroups"] == [{"name": "worker", "policy": {"gang": {"minCount": 1}}}]
        assert {one.values.spec["workloadRef"]["podGroupReplicaKey"] for one in rendered.rendering.bindings} == {
            f"thing-worker-{name}" for name in names
        }
        return
    assert rendered.rendering.objects == []
    assert any("at most 8 templates" in message.text for message in rendered.messages)
    few = things(MANY, Options(version), "native", names=names[:8])
    assert len(few.rendering.objects) == 9


def test_the_preferred_topology_is_not_that_of_kubernetes() -> None:
    """It has one key, which must be met; Volcano has tiers, which a user must name."""
    mapping = NONE_NEEDED.replace("minMember: 0", "minMember: 3, topology: {preferred: object.spec.rack}")
    native = things(mapping, None, "native", rack="rack")
    assert any("no preferred topology" in message.text for message in native.messages)
    volcano = things(mapping, None, "volcano", rack="rack")
    assert any("--topology" in (message.cure or "") for message in volcano.messages)
    named = things(mapping, Options(topology="tier-1"), "volcano", rack="rack")
    assert named.rendering.objects[0]["spec"]["networkTopology"] == {"mode": "soft", "highestTierName": "tier-1"}
    plugin = things(mapping, None, "coscheduling", rack="rack")
    assert any("rack is left out" in message.text for message in plugin.messages)


def test_resources_that_do_not_follow_are_left_out() -> None:
    """Four of five pods that differ: their sum is not known."""
    other = {"spec": {"containers": [{"name": "main", "resources": {"requests": {"cpu": "2"}}}]}}
    for scheduler in ("volcano", "coscheduling"):
        rendered = things(OTHER, None, scheduler, minimum=4, other=other)
        assert "minResources" not in rendered.rendering.objects[0]["spec"]
        assert any("minResources is left out" in message.text for message in rendered.messages)
        whole = things(OTHER, None, scheduler, minimum=5, other=other)
        assert whole.rendering.objects[0]["spec"]["minResources"] == {"cpu": "6"}


# Patches


def patched(name: str, scheduler: str = "kai") -> tuple[Any, Any]:
    """A workload that is not there yet, and what it is with its bindings."""
    workload, *references = load(name, uid=None)
    catalog = Catalog.builtin()
    rendered = catalog.gang(workload, scheduler, None, references)
    change = patch_workload(catalog, workload, rendered, references)
    assert jsonpatch.apply_patch(deepcopy(workload), change.json_patch()) == change.after
    return catalog.read(change.after, references=references).to_dict(), rendered


@pytest.mark.parametrize(
    "name", ["jobset", "jobset-depends-on", "mpijob-at-startup", "pytorchjob-elastic", "raycluster", "appwrapper"]
)
def test_the_patched_workload_reads_as_bound(name: str) -> None:
    """Every template of the patched workload has what its binding says; what is in no group is as it was."""
    document, rendered = patched(name)
    templates = dict(walk(document["components"]))
    assert rendered.bound
    for bound in rendered.bound:
        template = templates[bound.place.instance]
        assert bound.template.labels.items() <= template["metadata"].get("labels", {}).items()
        assert bound.template.annotations.items() <= template["metadata"]["annotations"].items()
        assert template["spec"]["schedulerName"] == "kai-scheduler"
    bound_at = {bound.place.instance for bound in rendered.bound}
    assert all("schedulerName" not in templates[at]["spec"] for at in templates.keys() - bound_at)


def walk(components: list[dict[str, Any]], above: str = "") -> list[tuple[str, Any]]:
    """The templates by the path of their instance."""
    found = []
    for component in components:
        for instance in component["instances"]:
            path = f"{above}/{instance['id']}" if above else instance["id"]
            if "podTemplate" in instance:
                found.append((path, instance["podTemplate"]))
            found += walk(instance.get("components", []), path)
    return found


def test_what_differs_between_pods_is_no_patch() -> None:
    """A template cannot say of which group a pod is."""
    workload = load("leaderworkerset", uid=None)[0]
    catalog = Catalog.builtin()
    with pytest.raises(UpdateUnsupportedError, match=r"groups group/0, group/1.*cannot say") as caught:
        patch_workload(catalog, workload, catalog.gang(workload, "kai"))
    assert "--pods" in (caught.value.cure or "")


def test_what_cannot_be_said_is_no_patch() -> None:
    """An error of the renderer is one of the patch."""
    rendered = render("jobset")
    rendered.rendering.tell("error", "this cannot be said", rendered.gang.groups[0], "say something else")
    with pytest.raises(UpdateUnsupportedError, match="group workload: this cannot be said"):
        patch_workload(Catalog.builtin(), load("jobset")[0], rendered)


def test_an_object_that_exists_may_refuse() -> None:
    """A JobSet that runs lets nobody change its templates."""
    with pytest.raises(UpdateInvalidError, match="only while it is suspended"):
        patch_workload(Catalog.builtin(), load("jobset")[0], render("jobset"))


# The command


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    """Exit code, output and messages of a command."""
    code = main(["gang", *arguments])
    out, err = capsys.readouterr()
    return code, out, err


JOBSET = str(INPUTS / "jobset.yaml")


def test_manifests(capsys: pytest.CaptureFixture[str]) -> None:
    """The objects are YAML that kubectl takes, and the bindings comments at its head."""
    code, out, err = run(capsys, "--format", "kai", "--queue", "team-a", JOBSET)
    assert (code, err) == (0, "")
    assert (
        out
        == """\
# JobSet ml/train, for KAI Scheduler
# in the pod template of job leader, /spec/replicatedJobs/0/template/spec/template:
#   label kai.scheduler/subgroup-name: leader
#   annotation pod-group-name: train
#   annotation kai.scheduler/skip-podgrouper: true
#   spec schedulerName: kai-scheduler
# in the pod template of job worker, /spec/replicatedJobs/1/template/spec/template:
#   label kai.scheduler/subgroup-name: worker
#   annotation pod-group-name: train
#   annotation kai.scheduler/skip-podgrouper: true
#   spec schedulerName: kai-scheduler
---
apiVersion: scheduling.run.ai/v2alpha2
kind: PodGroup
metadata:
  name: train
  namespace: ml
  ownerReferences:
  - apiVersion: jobset.x-k8s.io/v1alpha2
    kind: JobSet
    name: train
    uid: "5b0a7f52-0001-4c1e-9d3c-a1b2c3d4e5f6"
spec:
  queue: team-a
  subGroups:
  - name: leader
    minMember: 1
  - name: worker
    minMember: 8
"""
    )


def test_everything_as_data(capsys: pytest.CaptureFixture[str]) -> None:
    """JSON and YAML hold the document of the library."""
    expected = render("jobset", options=Options(queue="team-a")).to_dict()
    _code, out, _err = run(capsys, "--format", "kai", "--queue", "team-a", "-o", "json", JOBSET)
    assert json.loads(out) == expected
    _code, out, _err = run(capsys, "--format", "kai", "--queue", "team-a", "-o", "yaml", JOBSET)
    assert yaml.safe_load(out) == expected


def test_messages_are_told(capsys: pytest.CaptureFixture[str]) -> None:
    """Notes go to the error output; they are no fault."""
    code, _out, err = run(capsys, "--format", "kai", JOBSET)
    assert code == 0
    assert err.startswith("note: JobSet ml/train: no queue is given")


def test_pods_of_the_input(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """With --pods the pods follow the objects, as they must be created; the unbound are told."""
    items = [load("leaderworkerset")[0], lws_pod(0, 1), lws_pod(9, 1)]
    data = json.dumps({"apiVersion": "v1", "kind": "List", "items": items}).encode()
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(data), encoding="utf-8"))
    code, out, err = run(capsys, "--format", "kai", "--queue", "q", "--pods")
    assert code == 0
    assert "the pod serve-9-1 is not bound" in err
    documents = [document for document in yaml.safe_load_all(out) if document]
    assert [document["kind"] for document in documents] == ["PodGroup", "PodGroup", "Pod"]
    assert documents[2]["metadata"]["annotations"]["pod-group-name"] == "serve-group-0"
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(data), encoding="utf-8"))
    _code, out, _err = run(capsys, "--format", "kai", "--queue", "q", "--pods", "-o", "json")
    assert [entry.get("group") for entry in json.loads(out)["pods"]] == ["group/0", None]


def test_a_patch(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """--patch prints what `kubectl patch --type=json` takes."""
    path = tmp_path / "jobset.yaml"
    path.write_text(yaml.safe_dump(load("jobset", uid=None)[0]))
    code, out, err = run(capsys, "--format", "kai", "--queue", "q", "--patch", str(path))
    assert (code, err) == (0, "")
    assert {entry["op"] for entry in json.loads(out)} == {"add"}


def test_no_patch(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """What is no patch is an error, and nothing is printed."""
    code, out, err = run(capsys, "--format", "kai", "--patch", str(INPUTS / "leaderworkerset.yaml"))
    assert (code, out) == (1, "")
    assert "one template" in err
    code, out, err = run(capsys, "--format", "kai", "--patch", JOBSET, str(INPUTS / "raycluster.yaml"))
    assert (code, out) == (2, "")
    assert "a patch is of one workload, and the input has 2" in err
    empty = tmp_path / "empty.yaml"
    empty.write_text("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\n")
    code, out, err = run(capsys, "--format", "kai", "--patch", str(empty))
    assert (code, out) == (1, "")
    assert "there is no patch" in err


def test_two_workloads_of_one_name_are_told(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """The objects of the one would replace those of the other."""
    other = load("pytorchjob-elastic", name="train")[0]
    path = tmp_path / "two.yaml"
    path.write_text(yaml.safe_dump_all([load("jobset")[0], other]))
    code, _out, err = run(capsys, "--format", "kai", "--queue", "q", str(path))
    assert code == 1
    assert "PyTorchJob ml/train: its PodGroup train would replace that of JobSet ml/train" in err


def test_equal_messages_are_told_once(capsys: pytest.CaptureFixture[str]) -> None:
    """With the first group, and how many others there are."""
    _code, _out, err = run(capsys, "--format", "coscheduling", str(INPUTS / "leaderworkerset-leader-ready.yaml"))
    assert err.count("is told a total of 1 only") == 1
    assert "group group/0 and 1 more:" in err


def test_what_is_on_the_workload_is_for_all_pods(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A pod of a workload in a queue of Kueue needs nothing, and nothing is told of it."""
    data = json.dumps({"apiVersion": "v1", "kind": "List", "items": [load("leaderworkerset")[0], lws_pod(0, 1)]})
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(data.encode()), encoding="utf-8"))
    code, out, err = run(capsys, "--format", "kueue", "--queue", "q", "--pods")
    assert (code, err) == (0, "")
    assert "kind: Pod" not in out


def test_a_nameless_workload_is_told(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """The place of the workload is in the message, and the others are written."""
    path = tmp_path / "two.yaml"
    nameless = load("jobset", name=None)[0]
    path.write_text(yaml.safe_dump_all([nameless, load("raycluster")[0]]))
    code, out, err = run(capsys, "--format", "kai", "-o", "json", str(path))
    assert code == 1
    assert f"{path}:4:3: /metadata: the workload has no name" in err
    assert [entry["workload"]["name"] for entry in json.loads(out)] == ["ray"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--queue", "q"], "--queue is for a scheduler, and none is named"),
        (["--patch"], "--patch is for a scheduler"),
        (["-o", "manifests"], "manifests are for a scheduler"),
        (["--format", "kai", "-o", "table"], "a table is for people"),
        (["--format", "kai", "--patch", "-o", "json"], "no use for -o"),
        (["--format", "kai", "--patch", "--pods"], "no use for --pods"),
        (["--format", "kai", "--api-version", "v9"], "KAI Scheduler has no API version v9 here"),
    ],
)
def test_options_that_do_not_fit(capsys: pytest.CaptureFixture[str], arguments: list[str], message: str) -> None:
    """They are told before anything is read."""
    code, out, err = run(capsys, *arguments, JOBSET)
    assert (code, out) == (2, "")
    assert message in err
