/**
 * The map of a workload (section 13).
 */
import { compact, isInteger, MAX_INTEGER, newMap, unlessEmpty } from "./data.js";
import { makeGroups, podInstances } from "./gang.js";
import { readPods } from "./pods.js";
import { failed } from "./results.js";
import { formatResources, multiplied, summed } from "./resources.js";
import { readStatus, readSuspended } from "./status.js";

/**
 * Makes the map of a workload whose components have been read.
 * @param {import("./reading.js").Reading} reading
 * @param {import("./gang.js").Group[]} [groups]
 * @returns {object} the map, without its diagnostics
 */
export function makeMap(reading, groups = makeGroups(reading)) {
  const { mapping, object, session } = reading;
  for (const entry of mapping.invalid) {
    const refused = reading.condition(entry.when, reading.scope);
    if (refused.holds) reading.tell(failed("result-invalid", entry.message).problem, entry.when.at);
  }
  const suspended = readSuspended(reading);
  const status = readStatus(reading, suspended);
  const pods = session.pods === undefined ? { pods: [], unattributed: [] } : readPods(reading, groups);
  const instances = podInstances(reading.components);
  return compact({
    apiVersion: "workloadmap.dev/v1alpha1",
    kind: "WorkloadMap",
    workload: describeWorkload(object),
    mapping: { name: mapping.name, digest: mapping.digest },
    status,
    suspended,
    components: unlessEmpty(showComponents(reading.components)),
    gang: groups.length === 0 ? undefined : { groups: groups.map((group) => group.document) },
    totals: totals(instances, session),
    pods: unlessEmpty(pods.pods),
    unattributed: unlessEmpty(pods.unattributed),
  });
}

function describeWorkload(object) {
  const metadata = object.metadata ?? newMap();
  const text = (name) => (typeof metadata[name] === "string" ? metadata[name] : undefined);
  return compact({
    apiVersion: object.apiVersion,
    kind: object.kind,
    name: text("name"),
    namespace: text("namespace") || undefined,
    uid: text("uid"),
    generation: isInteger(metadata.generation) ? metadata.generation : undefined,
  });
}

function totals(instances, session) {
  const sum = instances.reduce((total, instance) => total + BigInt(instance.added), 0n);
  if (sum > MAX_INTEGER) {
    session.tell({ class: "limit-exceeded", message: "more pods than 2^53-1" }, "/spec/components");
    session.lack("replicas", "error");
  }
  const resources = summed(instances.filter((one) => one.resources !== undefined).map((one) => ({ resources: one.resources, pods: one.added })));
  return compact({
    pods: sum > MAX_INTEGER ? MAX_INTEGER : Number(sum),
    resources: unlessEmpty(formatResources(resources)),
    incomplete: unlessEmpty([...session.incomplete.values()]),
  });
}

function showComponents(components) {
  return components
    .filter(({ instances }) => instances.length > 0)
    .map(({ component, instances }) =>
      compact({
        name: component.name,
        role: component.roleIsLiteral ? component.role.value : undefined,
        creates: component.creates?.single,
        instances: instances.map(showInstance),
      }),
    );
}

function showInstance(instance) {
  const unit = instance.component.observed?.unit === "pods" ? { unit: "pods" } : {};
  return compact({
    id: instance.id,
    role: instance.role,
    creates: instance.creates,
    replicas: instance.known("replicas"),
    minReplicas: instance.known("minReplicas"),
    maxReplicas: instance.known("maxReplicas"),
    podsPerReplica: instance.component.podsPerReplica === undefined ? undefined : instance.known("podsPerReplica"),
    pods: instance.pods,
    minPods: instance.minPods,
    podTemplate: instance.template,
    mainContainer: instance.mainContainer,
    resources: showResources(instance),
    observed: instance.observed && { ...unit, ...instance.observed },
    sources: unlessEmpty(instance.sources),
    components: unlessEmpty(showComponents(instance.children)),
  });
}

function showResources({ resources, pods }) {
  if (resources === undefined) return undefined;
  const perPod = unlessEmpty(formatResources(resources));
  if (perPod === undefined) return undefined;
  const total = pods === undefined ? undefined : unlessEmpty(formatResources(multiplied(resources, pods)));
  return compact({ perPod, total });
}
