/**
 * Which pods are of the workload, and where in it they are (section 10).
 */
import { compact, compareText, hasKey, isInteger, isMap, newMap } from "./data.js";
import { podInstances } from "./gang.js";
import { ABSENT, failed } from "./results.js";
import { Scope } from "./scope.js";
import { toInteger } from "./status.js";

const namespaceOf = (object) => (typeof object.metadata?.namespace === "string" && object.metadata.namespace !== "" ? object.metadata.namespace : "default");
const labelsOf = (pod) => (isMap(pod.metadata?.labels) ? pod.metadata.labels : newMap());

/**
 * Attributes the pods that were given.
 * @param {import("./reading.js").Reading} reading
 * @param {import("./gang.js").Group[]} groups
 * @returns {{pods: object[], unattributed: object[]}}
 */
export function readPods(reading, groups) {
  const attribution = new Attribution(reading, groups);
  const order = (pod) => [namespaceOf(pod), pod.metadata?.name ?? ""];
  const sorted = [...reading.session.pods].sort((a, b) => {
    const [x, y] = [order(a), order(b)];
    return compareText(x[0], y[0]) || compareText(x[1], y[1]);
  });
  const result = { pods: [], unattributed: [] };
  for (const pod of sorted) attribution.place(pod, result);
  return result;
}

class Attribution {
  constructor(reading, groups) {
    Object.assign(this, { reading, groups });
    this.namespace = namespaceOf(reading.object);
    this.instances = podInstances(reading.components);
    this.selectors = new Map();
    for (const one of [reading, ...readingsBelow(reading.components)]) this.selectors.set(one, readSelectors(one));
  }

  // Puts a pod in the list that it belongs to, if it is selected (S10.1, S10.4).
  place(pod, result) {
    if (namespaceOf(pod) !== this.namespace) return;
    const labels = labelsOf(pod);
    const matching = new Set([...this.selectors].filter(([, selectors]) => selectors.some((matches) => matches(labels))).map(([reading]) => reading));
    if (matching.size === 0) return;
    const claims = new Map();
    const claiming = [];
    let error = false;
    for (const instance of this.instances) {
      const claim = this.belongs(instance, pod, labels, matching, claims);
      if (claim === "error") error = true;
      if (claim === "yes") claiming.push(instance);
    }
    const named = { name: pod.metadata?.name ?? "", namespace: pod.metadata?.namespace || undefined };
    if (error || claiming.length !== 1) {
      const reason = error ? "error" : claiming.length === 0 ? "unclaimed" : "ambiguous";
      result.unattributed.push(compact({ ...named, reason }));
      return;
    }
    result.pods.push(this.describe(pod, named, claiming[0]));
  }

  // Whether a pod belongs to an instance and all above it (S10.3): `yes`, `no` or `error`.
  belongs(instance, object, labels, matching, claims) {
    let answer = "yes";
    for (const one of instance.chain) {
      if (one.reading !== this.reading && !matching.has(one.reading)) return "no";
      if (!claims.has(one)) claims.set(one, claim(one, object, labels));
      const own = claims.get(one);
      if (own === "no") return "no";
      if (own === "error") answer = "error";
    }
    return answer;
  }

  describe(object, named, instance) {
    const at = instance.chain.map((one) => {
      const replica = this.number(one, "replica", object, 0);
      return compact({ component: one.component.name, instance: one.id, replica });
    });
    const group = this.groups.find((candidate) => covers(candidate, instance, at));
    const ready = Array.isArray(object.status?.conditions)
      ? object.status.conditions.some((condition) => isMap(condition) && condition.type === "Ready" && condition.status === "True")
      : false;
    return compact({
      ...named,
      at,
      index: this.index(instance, object),
      revision: this.revision(instance, object),
      group: group?.document.id,
      subgroup: innermost(group, instance, at)?.document.id,
      phase: textOf(object.status, "phase"),
      ready,
      deleting: hasKey(object.metadata ?? newMap(), "deletionTimestamp") ? true : undefined,
      node: textOf(object.spec, "nodeName"),
    });
  }

  index(instance, object) {
    const first = instance.component.pods?.firstIndex === undefined ? 0 : this.number(instance, "firstIndex", object, 0, 0);
    return first === undefined ? undefined : this.number(instance, "index", object, first);
  }

  // A number that is read from a pod, less a first one (S10.5).
  number(instance, name, object, first, absent) {
    const value = instance.component.pods?.[name];
    if (value === undefined) return absent;
    const result = podValue(instance, value, object);
    if (result.state === "absent") return absent;
    if (result.state === "failed") return undefined;
    const number = toInteger(result.value);
    const fault =
      number === undefined
        ? failed("result-type", "an integer or decimal digits are asked for")
        : number - first < 0
          ? failed("result-invalid", "the number is negative")
          : undefined;
    if (fault === undefined) return number - first;
    instance.reading.tell(fault.problem, value.at, instance.path);
    return undefined;
  }

  // The revision, which the innermost component that has one gives.
  revision(instance, object) {
    for (const one of instance.chain.toReversed()) {
      const value = one.component.pods?.revision;
      const result = value === undefined ? ABSENT : podValue(one, value, object);
      if (result.state === "present" && typeof result.value !== "string") {
        one.reading.tell(failed("result-type", "a revision is a text").problem, value.at, one.path);
        return undefined;
      }
      if (result.state !== "absent" && result.value !== "") return result.value;
    }
    return undefined;
  }
}

function textOf(map, name) {
  return isMap(map) && typeof map[name] === "string" && map[name] !== "" ? map[name] : undefined;
}

const podScope = (instance, object) => new Scope(instance.scope).bindObject("pod", object);
const podValue = (instance, value, object) => instance.reading.value(value, podScope(instance, object), instance.path);

// Whether an instance claims a pod: `yes`, `no`, or `error` if that cannot be told.
function claim(instance, object, labels) {
  const { pods } = instance.component;
  if (pods === undefined) return "yes";
  for (const [label, value] of pods.matchLabels ?? []) {
    const wanted = podValue(instance, value, object);
    if (wanted.state === "failed") return "error";
    if (wanted.state === "absent" || !hasKey(labels, label) || labels[label] !== wanted.value) return "no";
  }
  if (pods.match !== undefined) {
    const match = instance.reading.condition(pods.match, podScope(instance, object), instance.path);
    if (match.failed) return "error";
    if (!match.holds) return "no";
  }
  if (pods.instance !== undefined) {
    const id = podValue(instance, pods.instance, object);
    if (id.state === "failed") return "error";
    if (id.state === "present" && typeof id.value !== "string" && !isInteger(id.value)) {
      instance.reading.tell(failed("result-type", "an id is a text or an integer").problem, pods.instance.at, instance.path);
      return "error";
    }
    if (id.state === "absent" || String(id.value) !== instance.id) return "no";
  }
  return "yes";
}

function readingsBelow(components) {
  return components.flatMap(({ instances }) =>
    instances.flatMap((instance) => [...(instance.embedded === undefined ? [] : [instance.embedded]), ...readingsBelow(instance.children)]),
  );
}

// The selectors of a workload (S10.2), each as a test of labels.
function readSelectors(reading) {
  return reading.mapping.selectors.map((selector) =>
    selector.from === undefined ? labelSelector(reading, selector.labels) : placedSelector(reading, selector.from),
  );
}

const nothing = () => false;

function labelSelector(reading, labels) {
  const wanted = [];
  let usable = labels.length > 0;
  for (const [label, value] of labels) {
    const result = reading.value(value, reading.scope);
    if (result.state === "present" && typeof result.value !== "string") {
      reading.tell(failed("result-type", "a label is a text").problem, value.at);
      usable = false;
    } else if (result.state !== "present") {
      usable = false;
    } else {
      wanted.push([label, result.value]);
    }
  }
  return usable ? (pod) => wanted.every(([label, text]) => pod[label] === text) : nothing;
}

// A LabelSelector, or a plain map of texts, in the object.
function placedSelector(reading, value) {
  const result = reading.value(value, reading.scope);
  if (result.state !== "present") return nothing;
  try {
    return selectorOf(result.value);
  } catch (error) {
    if (!(error instanceof SelectorError)) throw error;
    reading.tell(failed(error.class, error.message).problem, value.at);
    return nothing;
  }
}

class SelectorError extends Error {
  constructor(errorClass, message) {
    super(message);
    this.class = errorClass;
  }
}

function selectorOf(selector) {
  if (!isMap(selector)) throw new SelectorError("result-type", "a selector is a map");
  const isLabelSelector = ["matchLabels", "matchExpressions"].some((part) => hasKey(selector, part) && typeof selector[part] === "object");
  if (!isLabelSelector) return equalLabels(selector);
  const tests = [];
  if (hasKey(selector, "matchLabels")) {
    if (!isMap(selector.matchLabels)) throw new SelectorError("result-type", "matchLabels are a map");
    if (Object.keys(selector.matchLabels).length > 0) tests.push(equalLabels(selector.matchLabels));
  }
  if (hasKey(selector, "matchExpressions")) {
    if (!Array.isArray(selector.matchExpressions)) throw new SelectorError("result-type", "matchExpressions are a list");
    tests.push(...selector.matchExpressions.map(expressionTest));
  }
  return tests.length === 0 ? nothing : (labels) => tests.every((test) => test(labels));
}

function equalLabels(map) {
  const labels = Object.keys(map);
  if (labels.some((label) => typeof map[label] !== "string")) throw new SelectorError("result-type", "a label is a text");
  return labels.length === 0 ? nothing : (pod) => labels.every((label) => pod[label] === map[label]);
}

function expressionTest(expression) {
  if (!isMap(expression)) throw new SelectorError("result-type", "an entry of matchExpressions is a map");
  const { key, operator, values = [] } = expression;
  if (typeof key !== "string" || typeof operator !== "string") {
    throw new SelectorError("result-invalid", "an entry of matchExpressions has a key and an operator");
  }
  if (!Array.isArray(values) || values.some((value) => typeof value !== "string")) throw new SelectorError("result-type", "values are a list of texts");
  const takesValues = operator === "In" || operator === "NotIn";
  if (takesValues !== values.length > 0) throw new SelectorError("result-invalid", `${operator} does not take these values`);
  switch (operator) {
    case "In":
      return (labels) => values.includes(labels[key]);
    case "NotIn":
      return (labels) => !values.includes(labels[key]);
    case "Exists":
      return (labels) => hasKey(labels, key);
    case "DoesNotExist":
      return (labels) => !hasKey(labels, key);
    default:
      throw new SelectorError("result-invalid", `there is no operator ${operator}`);
  }
}

// Whether a group covers a pod of an instance (S10.7): where it stands for some replicas only, that of the pod is one of them.
function covers(group, instance, at) {
  const ranges = group.coverage.get(instance);
  return ranges !== undefined && ranges.every((range, i) => inRange(range, at[i].replica, instance.chain[i].known("replicas")));
}

// A pod whose replica is unknown is only in what covers all replicas.
function inRange(range, replica, replicas) {
  if (range === undefined) return true;
  if (replica === undefined) return range.from === 0 && range.to >= replicas;
  return replica >= range.from && replica < range.to;
}

function innermost(group, instance, at) {
  const subgroup = group?.subgroups.find((candidate) => covers(candidate, instance, at));
  return subgroup === undefined ? undefined : (innermost(subgroup, instance, at) ?? subgroup);
}
