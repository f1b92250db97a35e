/**
 * Tests of the writer (section 20): what stays as it was given, and what is written where.
 */
import assert from "node:assert/strict";
import { answer } from "../src/protocol.js";

const HEAD = { apiVersion: "x.example/v1", kind: "Thing" };
const MAIN = { containers: [{ name: "main", image: "a" }] };

/** What a writer answers: the changed workload, or the class of the rejection. */
function change(spec, object, intent, mappings = []) {
  const mapping = {
    apiVersion: "workloadmap.dev/v1alpha1",
    kind: "WorkloadMapping",
    metadata: { name: "thing" },
    spec: { workload: { group: "x.example", versions: ["v1"], kind: "Thing" }, ...spec },
  };
  const workload = typeof object === "string" ? JSON.parse(object) : { ...HEAD, ...object };
  const reply = answer({ cmd: "update", id: "t", specVersion: "v1alpha1", mappings: [mapping, ...mappings], object: workload, intent });
  return reply.outcome === "ok" ? reply.object : (reply.error?.class ?? reply.message);
}

/** The `spec` after a change, or the class of the rejection. */
function changedSpec(spec, before, intent) {
  const result = change(spec, { spec: before }, intent);
  return typeof result === "string" ? result : JSON.parse(JSON.stringify(result.spec));
}

const counted = (replicas, more = {}) => ({ components: [{ name: "a", replicas, podTemplate: "object.spec.template" }], ...more });
const fielded = (podFields, base = "object.spec.template") => ({ components: [{ name: "a", podTemplate: base, ...(podFields && { podFields }) }] });
const scale = (replicas) => ({ op: "scale", replicas });
const scheduler = (value) => ({ op: "set", field: "schedulerName", value });
const image = (value, container) => ({ op: "set", field: "image", value, ...(container && { container }) });

export const updateTests = {
  "a writer leaves what it does not write as it was given, and in its order"() {
    const text =
      '{"zeta":null,"kind":"Thing","apiVersion":"x.example/v1","spec":{"template":{"spec":{"containers":[{"name":"main","env":null,"cpu":"0500m"}]}},"n":1,"__proto__":{"a":null},"list":[null,1.5]}}';
    const given = JSON.parse(text);
    const spec = counted("object.spec.n");
    assert.equal(JSON.stringify(change(spec, text, scale(2))), text.replace('"n":1', '"n":2'));
    assert.equal(JSON.stringify(change(spec, text, scale(1))), text);
    change(spec, given, scale(2));
    assert.equal(JSON.stringify({ ...given }), JSON.stringify(JSON.parse(text)));
  },

  "a number is written as it is kept: as text, or as a number"() {
    const spec = counted({ value: "object.spec.n", as: "int" });
    const stored = counted({ value: "object.spec.n", as: "int", stored: "string" });
    const template = { spec: MAIN };
    for (const [mapping, n, expected] of [[spec, "1", "2"], [spec, 1, 2], [spec, undefined, 2], [stored, undefined, "2"], [stored, 1, 2]]) {
      assert.equal(changedSpec(mapping, { template, ...(n && { n }) }, scale(2)).n, expected);
    }
    const flag = { ...counted("object.spec.n"), suspend: { suspend: [{ set: "object.spec.off", to: true }], resume: [{ remove: "object.spec.off" }] } };
    assert.deepEqual(changedSpec(flag, { template, n: 1 }, { op: "suspend" }), { template, n: 1, off: true });
    assert.deepEqual(changedSpec(flag, { template, n: 1, off: true }, { op: "resume" }), { template, n: 1 });
    assert.deepEqual(changedSpec(flag, { template, n: 1, off: null }, { op: "resume" }), { template, n: 1, off: null });
  },

  "what is stripped is put in front again"() {
    const spec = counted({ value: "object.spec.n", strip: '"n-"', as: "int" });
    assert.equal(changedSpec(spec, { template: { spec: MAIN }, n: "n-1" }, scale(2)).n, "n-2");
  },

  "a computed value is written where it says, by what it says"() {
    const template = { spec: MAIN };
    const written = counted({ value: "object.spec.size - 1", writeTo: "object.spec.size", write: "value + 1" });
    assert.equal(changedSpec(written, { template, size: 3 }, scale(4)).size, 5);
    assert.equal(changedSpec(counted("object.spec.size - 1"), { template, size: 3 }, scale(4)), "update-unsupported");
    // A part of what is computed is written as the whole.
    const whole = { value: '{"spec": object.spec.pod}', writeTo: "object.spec.pod", write: "value.spec" };
    assert.deepEqual(changedSpec(fielded(undefined, whole), { pod: MAIN }, scheduler("s")).pod, { ...MAIN, schedulerName: "s" });
  },

  "a path below a variable is written below what the variable is read from"() {
    const spec = { variables: [{ name: "conf", value: "object.spec.conf", default: {} }], ...counted({ value: 'variables.conf["a.b"]', as: "int", default: 1 }) };
    assert.deepEqual(changedSpec(spec, { template: { spec: MAIN } }, scale(2)).conf, { "a.b": 2 });
    const found = { variables: [{ name: "one", find: "object.spec.list", where: { id: '"x"' } }], ...counted("variables.one.n") };
    const list = [{ id: "w", n: 1 }, { id: "x", n: 1 }];
    assert.deepEqual(changedSpec(found, { template: { spec: MAIN }, list }, scale(2)).list, [list[0], { id: "x", n: 2 }]);
    assert.equal(changedSpec(found, { template: { spec: MAIN }, list: [] }, scale(2)), "update-unsupported");
  },

  "the first alternative that has a place is written, none behind the present one"() {
    const template = { spec: MAIN };
    const spec = counted({ firstOf: ["object.spec.a", "object.spec.b"] });
    assert.deepEqual(changedSpec(spec, { template, b: 1 }, scale(2)), { template, b: 1, a: 2 });
    const literal = counted({ firstOf: [{ unknown: "nobody knows" }, 1, "object.spec.b"] });
    assert.equal(changedSpec(literal, { template }, scale(2)), "update-unsupported");
  },

  "a copy is made where a part is written before what is read, and not where that is written anyway"() {
    const own = { name: "leader", podTemplate: { firstOf: ["object.spec.leader", "object.spec.worker"] } };
    const spec = { components: [own, { name: "worker", podTemplate: "object.spec.worker" }] };
    const worker = { spec: MAIN, x: null };
    const changed = { containers: [{ name: "main", image: "b" }] };
    assert.deepEqual(changedSpec(spec, { worker }, image("b")), { worker: { spec: changed, x: null } });
    assert.deepEqual(changedSpec(spec, { worker }, { ...image("b"), component: "leader" }), { worker, leader: { spec: changed } });
    assert.equal(changedSpec(spec, { worker }, { ...image("b"), component: "worker" }), "update-invalid");
  },

  "the last layer that has most of the field is written"() {
    const merged = (lists) => fielded(undefined, { merge: ["object.spec.a", "object.spec.b"], lists });
    const layer = (...containers) => ({ spec: { containers } });
    const [a, b] = [layer({ name: "main", image: "a" }, { name: "side", image: "s" }), layer({ name: "side" })];
    const written = { a: layer({ name: "main", image: "b" }, { name: "side", image: "s" }), b };
    assert.deepEqual(changedSpec(merged("byName"), { a, b }, image("b", "main")), written);
    const unnamed = layer({ image: "c" });
    assert.deepEqual(changedSpec(merged("byIndex"), { a, b: unnamed }, image("b", "main")), { a, b: layer({ image: "b" }) });
    assert.deepEqual(changedSpec(merged("byName"), { a }, scheduler("s")).a.spec.schedulerName, "s");
  },

  "a field is written through the entry that gives it"() {
    const template = { spec: { ...MAIN, schedulerName: "base" } };
    const after = (podFields, more, intent = scheduler("s")) => {
      const result = changedSpec(fielded(podFields), { template, ...more }, intent);
      return typeof result === "string" ? result : { ...result, template: result.template.spec.schedulerName };
    };
    const at = (value, mode) => ({ field: "spec.schedulerName", value, ...(mode && { mode }) });
    assert.deepEqual(after([at("object.spec.a"), at("object.spec.b")], { a: "x", b: "y" }), { template: "base", a: "x", b: "s" });
    assert.deepEqual(after([at("object.spec.a")], {}), { template: "s" });
    assert.deepEqual(after([at("object.spec.a", "default")], { a: "x" }), { template: "s", a: "x" });
    assert.equal(after([at('"fixed"')], {}), "update-unsupported");
    // An entry above it, last the one whose value is not there yet.
    const below = (podFields, more) => changedSpec(fielded(podFields), { template: { spec: MAIN }, ...more }, { op: "set", field: "nodeSelector", key: "k", value: "v" });
    const selector = (value, mode) => ({ field: "spec.nodeSelector", value, ...(mode && { mode }) });
    assert.deepEqual(below([selector("object.spec.a", "merge"), selector("object.spec.b", "merge")], {}).template.spec.nodeSelector, { k: "v" });
    const computed = fielded([selector("object.spec.a", "merge"), selector("object.spec.b", "merge")], '{"spec": object.spec.pod}');
    const zone = { op: "set", field: "nodeSelector", key: "k", value: "v" };
    assert.deepEqual(changedSpec(computed, { pod: MAIN, a: { x: "y" } }, zone), { pod: MAIN, a: { x: "y", k: "v" } });
    assert.deepEqual(changedSpec(computed, { pod: MAIN }, zone), { pod: MAIN, b: { k: "v" } });
    // What is laid as a whole hides what is below it.
    const label = { op: "set", field: "labels", key: "k", value: "v" };
    assert.deepEqual(after([{ field: "metadata.labels", value: "object.spec.l" }], { l: { a: "b" } }, label).l, { a: "b", k: "v" });
    assert.deepEqual(changedSpec(fielded([{ field: "metadata.labels", value: "object.spec.l", mode: "merge" }]), { template, l: { a: "b" } }, label), {
      template: { ...template, metadata: { labels: { k: "v" } } },
      l: { a: "b" },
    });
  },

  "a container that an entry makes is written through entries"() {
    const made = [{ container: "side", field: "image", value: "object.spec.image" }, { container: "side", value: "object.spec.side" }];
    const pulled = { op: "set", field: "requests", container: "side", key: "cpu", value: "1" };
    const requests = { resources: { requests: { cpu: "1" } } };
    assert.deepEqual(changedSpec(fielded(made), { template: { spec: MAIN }, side: { image: "z" } }, pulled).side, { image: "z", ...requests });
    const before = { template: { spec: MAIN }, image: "x" };
    assert.deepEqual(changedSpec(fielded(made), before, image("y", "side")), { ...before, image: "y" });
    const with_ = { ...before, side: { image: "z" } };
    assert.deepEqual(changedSpec(fielded(made), with_, image("y", "side")), { ...with_, side: { image: "y" } });
    // It stands at the front, so that the container of the base has another index there.
    assert.deepEqual(changedSpec(fielded(made), before, image("y", "main")).template.spec.containers, [{ name: "main", image: "y" }]);
    assert.equal(changedSpec(fielded(made), before, image("y")), "update-invalid");
  },

  "what is in the way is refused, and what is null is not in the way"() {
    const spec = counted("object.spec.a.n");
    for (const a of [1, "x", [1]]) assert.equal(changedSpec(spec, { template: { spec: MAIN }, a }, scale(2)), "update-invalid");
    assert.deepEqual(changedSpec(spec, { template: { spec: MAIN }, a: null }, scale(2)).a, { n: 2 });
    const indexed = counted("object.spec.a[0].n");
    assert.equal(changedSpec(indexed, { template: { spec: MAIN }, a: [] }, scale(2)), "update-unsupported");
    assert.equal(changedSpec(indexed, { template: { spec: MAIN }, a: {} }, scale(2)), "update-invalid");
  },

  "an immutable place is held at, above and below, but for its exceptions and new objects"() {
    const entry = { places: ["object.spec.template"], except: ["object.spec.template.spec.schedulerName"], reason: "fixed" };
    const spec = { ...fielded(), immutable: [entry] };
    const judge = (intent, metadata, immutable = [entry]) => {
      const result = change({ ...spec, immutable }, { metadata, spec: { template: { spec: MAIN } } }, intent);
      return typeof result === "string" ? result : "ok";
    };
    const exists = { uid: "u" };
    assert.equal(judge(image("b"), {}), "ok");
    assert.equal(judge(image("b"), exists), "update-invalid");
    assert.equal(judge(scheduler("s"), exists), "ok");
    assert.equal(judge(image("b"), exists, [{ ...entry, when: "object.spec.template.spec.containers.size() > 1" }]), "ok");
    assert.equal(judge(image("b"), exists, [{ ...entry, places: ["variables.none.x"] }]), "expression-check");
    const above = [{ places: ["object.spec.template.spec.containers[0].image.x"], reason: "fixed" }];
    assert.equal(judge(image("b"), exists, above), "update-invalid");
  },

  "an intent that is none, or means nothing, is refused"() {
    const spec = counted("object.spec.n");
    const before = { template: { spec: MAIN }, n: 1 };
    const wrong = [
      undefined, {}, { op: "scale" }, { op: "scale", replicas: -1 }, { op: "scale", replicas: 1, component: "b" }, { op: "scale", replicas: 2, instance: "b" },
      { op: "set", field: "image" }, { op: "set", field: "image", value: "" }, { op: "set", field: "labels", value: "a" }, image("b", "none"),
      { op: "set", field: "requests", key: "cpu", value: "-1" }, { op: "set", field: "limits", key: "cpu", value: "x" }, { op: "set", field: "labels", key: "a\u0000", value: "" },
      { op: "set", field: "workload.labels", key: "a", value: "b", component: "a" },
    ];
    for (const intent of wrong) assert.equal(changedSpec(spec, before, intent), "update-invalid", JSON.stringify(intent));
    for (const intent of [{ op: "suspend" }, { op: "set", field: "queue", value: "q" }]) assert.equal(changedSpec(spec, before, intent), "update-unsupported");
  },

  "quantities read as asked by their amount"() {
    const container = { name: "main", resources: { requests: { cpu: "0.5" } } };
    const before = { template: { spec: { containers: [container] } }, n: 1 };
    const requests = (value) => changedSpec(counted("object.spec.n"), before, { op: "set", field: "requests", key: "cpu", value });
    assert.deepEqual(requests("500m"), before);
    assert.equal(requests(2).template.spec.containers[0].resources.requests.cpu, 2);
    assert.deepEqual(requests(null).template.spec.containers[0].resources, { requests: {} });
  },

  "parts of an embedded workload are written where they lie, also those that are absent"() {
    const inner = {
      apiVersion: "workloadmap.dev/v1alpha1",
      kind: "WorkloadMapping",
      metadata: { name: "inner" },
      spec: {
        workload: { group: "y.example", versions: ["v1"], kind: "Inner" },
        components: [{ name: "pod", replicas: "object.spec.n", podTemplate: "object.spec.template" }],
        gang: [{ name: "all", members: ["pod"], queue: "object.metadata.labels.queue" }],
      },
    };
    const embed = { apiVersion: "y.example/v1", kind: "Inner", spec: "object.spec.inner", labels: "object.metadata.labels" };
    const spec = { components: [{ name: "part", embed }], gang: [{ name: "parts", from: "part" }] };
    const object = { spec: { inner: { n: 1, template: { spec: MAIN } } } };
    const set = (intent) => JSON.parse(JSON.stringify(change(spec, object, intent, [inner])));
    assert.deepEqual(set({ op: "scale", component: "part/pod", replicas: 3 }).spec.inner.n, 3);
    assert.deepEqual(set({ op: "scale", replicas: 3 }).spec.inner.n, 3);
    assert.deepEqual(set({ op: "set", field: "queue", value: "q" }).metadata, { labels: { queue: "q" } });
  },
};
