/**
 * Pod groups (section 11).
 *
 * What a group covers is kept for each instance of a pod component as a range of replicas for each level of the tree
 * above it, itself included: `undefined` for all replicas, or `{from, to}`. A range of one replica, or one that a member
 * is narrowed to, counts in full, where all replicas count with their own minimum (S11.4).
 */
import { compact, deepEqual, isInteger, unlessEmpty } from "./data.js";
import { product } from "./reading.js";
import { ABSENT, failed } from "./results.js";

const MAX_GROUPS = 10000;

/** More groups than one entry may make. */
class TooManyGroups extends Error {}

/** How many replicas groups are to be made for is unknown. */
class UnknownReplicas extends Error {}

/** What groups are made for failed, which has been told. */
class FailedUnits extends Error {}

/**
 * @typedef {{from: number, to: number} | undefined} Range
 * @typedef {object} Group
 * @property {object} document as it stands in the map
 * @property {Map<import("./reading.js").Instance, Range[]>} coverage
 * @property {Group[]} subgroups
 * @property {object} entry that makes it, compiled
 * @property {import("./reading.js").Reading} reading that the entry is of
 * @property {import("./scope.js").Scope} scope that the entry's values are read in
 */

/**
 * Makes the groups of a workload.
 * @param {import("./reading.js").Reading} reading
 * @returns {Group[]}
 */
export function makeGroups(reading) {
  const enclosing = { id: "", scope: reading.scope, path: reading.path, coverage: undefined };
  return reading.mapping.gang.flatMap((entry) => new EntryReader(reading, entry, enclosing, { groups: 0 }).outermost());
}

/**
 * The instances of pod components at or below a list of components, in the order of the map.
 * @param {{instances: import("./reading.js").Instance[]}[]} components
 * @returns {import("./reading.js").Instance[]}
 */
export function podInstances(components) {
  return components.flatMap(({ instances }) =>
    instances.flatMap((instance) => (instance.component.groups ? podInstances(instance.children) : [instance])),
  );
}

/**
 * The name of an instance's component as a gang member of a mapping gives it (S11.2).
 * @param {import("./reading.js").Instance} instance
 * @param {import("./reading.js").Reading} reading whose mapping names it
 * @returns {string}
 */
export function memberName(instance, reading) {
  if (instance.reading === reading) return instance.component.name;
  const { embedding } = instance.reading;
  return embedding === undefined ? instance.component.name : `${memberName(embedding, reading)}/${instance.component.name}`;
}

class EntryReader {
  constructor(reading, entry, enclosing, counter) {
    Object.assign(this, { reading, entry, enclosing, counter });
    this.memberCache = new Map();
  }

  /** The groups of an outermost entry: all, or none if there are too many. */
  outermost() {
    try {
      return this.groups();
    } catch (error) {
      if (!(error instanceof TooManyGroups)) throw error;
      this.reading.tell(failed("limit-exceeded", `more than ${MAX_GROUPS} groups`).problem, this.entry.at);
      return [];
    }
  }

  groups() {
    const { entry, enclosing, reading } = this;
    if (entry.when !== undefined && !reading.condition(entry.when, enclosing.scope, enclosing.path).holds) return [];
    try {
      if (entry.from !== undefined) return this.embeddedGroups();
      return this.anchors().flatMap((anchor) => this.group(anchor) ?? []);
    } catch (error) {
      if (error instanceof UnknownReplicas) this.warn(enclosing.path);
      else if (!(error instanceof FailedUnits)) throw error;
      return [];
    }
  }

  warn(path) {
    this.reading.tell(failed("result-invalid", "a number of pods or replicas is unknown").problem, this.entry.at, path, "warning");
  }

  count() {
    this.counter.groups += 1;
    if (this.counter.groups > MAX_GROUPS) throw new TooManyGroups();
  }

  // The groups that the mappings of embedded workloads make (S11.10).
  embeddedGroups() {
    const { entry, enclosing } = this;
    const groups = [];
    for (const instance of instancesOf(this.reading, entry.from)) {
      if (instance.embedded === undefined || !this.isCovered(instance)) continue;
      const own = instance.chain.filter((one) => one.reading === this.reading && one.component.hasForEach);
      const id = [...prefix(enclosing.id), entry.name, ...own.map((one) => one.id)].join("/");
      const inner = { id, scope: instance.embedded.scope, path: instance.path, coverage: enclosing.coverage };
      for (const innerEntry of instance.embedded.mapping.gang) {
        groups.push(...new EntryReader(instance.embedded, innerEntry, inner, this.counter).groups());
      }
    }
    return groups;
  }

  // Whether the enclosing group covers pods of an instance.
  isCovered(instance) {
    const { coverage } = this.enclosing;
    return coverage === undefined || [...coverage.keys()].some((pod) => pod.chain.includes(instance));
  }

  /*
   * What a group is made for (S11.1): for each instance, or replica of an instance, of `per`, the levels of the tree
   * down to it, each with its replica if there is one. With `by` several instances share an anchor.
   */
  anchors() {
    const { per } = this.entry;
    if (per === undefined) return [{ levels: [], instances: [] }];
    const anchors = [];
    this.descend(this.reading.components, namesDownTo(per.of), [], anchors);
    return per.by === undefined ? anchors : this.joined(anchors);
  }

  descend(components, [name, ...below], levels, anchors) {
    for (const instance of components.find(({ component }) => component.name === name)?.instances ?? []) {
      if (!this.isCovered(instance)) continue;
      const last = below.length === 0;
      if (last && !this.entry.per.replicaOf) {
        this.count();
        anchors.push({ levels: [...levels, { instance }], instances: [instance] });
        continue;
      }
      const { from, to } = this.replicasFor(instance, last ? this.entry.per : {}, levels);
      for (let replica = from; replica < to; replica++) {
        const here = [...levels, { instance, replica }];
        if (last) {
          this.count();
          anchors.push({ levels: here, instances: [instance] });
        } else {
          // Levels above the last are counted too, so that no number of them runs away.
          if (replica - from > MAX_GROUPS) throw new TooManyGroups();
          this.descend(instance.children, below, here, anchors);
        }
      }
    }
  }

  // The replicas of an instance that groups are made for: those in the range, that there are, and that the group covers.
  replicasFor(instance, bounds) {
    let range = this.readRange(bounds, instance);
    if (Number.isNaN(range.to)) throw new UnknownReplicas();
    for (const [pod, ranges] of this.enclosing.coverage ?? []) {
      const level = pod.chain.indexOf(instance);
      if (level >= 0) {
        range = intersection(range, ranges[level]);
        break;
      }
    }
    return range;
  }

  // A range of replicas (S11.2.2), cut to those that there are. Of unknown replicas its end is not known, unless it is empty.
  readRange(bounds, instance) {
    const read = (value, absent) => {
      const result = value === undefined ? ABSENT : this.reading.value(value, instance.scope, instance.path);
      if (result.state === "absent") return absent;
      const number = result.state === "failed" ? undefined : this.natural(result, value.at, instance.path);
      if (number === undefined) throw new FailedUnits();
      return number;
    };
    const from = read(bounds.from, 0);
    const to = read(bounds.to, Infinity);
    if (to <= from) return { from, to: from };
    return { from, to: Math.max(from, Math.min(to, instance.known("replicas") ?? NaN)) };
  }

  // A present value as a number that is not negative.
  natural(result, at, path) {
    if (isInteger(result.value) && result.value >= 0) return result.value;
    const fault = isInteger(result.value) ? failed("result-invalid", "a number is negative") : failed("result-type", "an integer is asked for");
    this.reading.tell(fault.problem, at, path);
    return undefined;
  }

  // Joins the anchors of instances that give equal values, in the same replicas above them.
  joined(anchors) {
    const groups = [];
    for (const anchor of anchors) {
      const instance = anchor.instances[0];
      const value = this.reading.value(this.entry.per.by, instance.scope, instance.path);
      // It might belong to any of the groups, so that none is known.
      if (value.state === "failed") throw new FailedUnits();
      const above = anchor.levels.slice(0, -1);
      const same = groups.find((group) => sameLevels(group.levels, above) && group.state === value.state && deepEqual(group.value, value.value));
      if (same !== undefined) same.instances.push(instance);
      else groups.push({ levels: above, instances: [instance], state: value.state, value: value.value, by: true });
    }
    return groups;
  }

  group(anchor) {
    const { entry, enclosing, reading } = this;
    const own = anchor.instances[0];
    const scope = own?.scope ?? enclosing.scope;
    const path = own?.path ?? enclosing.path;
    const members = this.members(anchor);
    if (members.length === 0) return undefined;
    if (anchor.levels.length === 0 && anchor.instances.length === 0) this.count();
    const coverage = new Map(members.map((member) => [member.instance, member.ranges]));
    const levels = anchor.levels.map(({ instance, replica }) => compact({ ...placeOf(instance), replica }));
    const at = [...this.outerAt(), ...levels];
    const steps = anchor.levels.flatMap(({ instance, replica }) => [
      ...(instance.component.hasForEach ? [instance.id] : []),
      ...(replica === undefined ? [] : [String(replica)]),
    ]);
    if (anchor.by) steps.push(own.id);
    const id = [...prefix(enclosing.id), entry.name, ...steps].join("/");
    const sources = {};
    const text = (value, source) => {
      const result = reading.value(value, scope, path);
      if (result.state !== "present") return undefined;
      if (typeof result.value !== "string") {
        reading.tell(failed("result-type", "a text is asked for").problem, value.at, path);
        return undefined;
      }
      if (result.value === "") return undefined;
      if (result.place?.text !== undefined) sources[source] = result.place.text;
      return result.value;
    };
    const minMember = this.minMember(members, scope, path, sources);
    const texts = Object.fromEntries(entry.texts.map(([name, value]) => [name, text(value, name)]));
    texts.priorityClass ??= commonPriorityClass(members);
    const topology = compact(Object.fromEntries(entry.topology.map(([name, value]) => [name, text(value, `topology.${name}`)])));
    const inner = { id, scope, path, coverage };
    const subgroups = entry.subgroups.flatMap((subgroup) => new EntryReader(reading, subgroup, inner, this.counter).groups());
    const document = compact({
      id,
      name: entry.name,
      at: unlessEmpty(at),
      minMember,
      pods: total(members.map((member) => member.pods)),
      members: members.map((member) =>
        compact({
          component: member.instance.component.name,
          instance: member.instance.id,
          pods: member.pods,
          minPods: member.minPods,
        }),
      ),
      subgroups: unlessEmpty(subgroups.map((subgroup) => subgroup.document)),
      queue: texts.queue,
      priorityClass: texts.priorityClass,
      topology: unlessEmpty(topology),
      sources: unlessEmpty(sources),
    });
    return { document, coverage, subgroups, entry, reading, scope };
  }

  // The place of an embedded workload, which the groups that its mapping makes begin with (S11.10).
  outerAt() {
    const { embedding } = this.reading;
    return embedding === undefined ? [] : embedding.chain.map(placeOf);
  }

  // What the group covers of each member (S11.3), with counts.
  members(anchor) {
    const found = new Map();
    for (const member of this.entry.members) {
      for (const instance of this.memberInstances(member)) {
        if (found.has(instance)) continue;
        const ranges = this.ranges(instance, member, anchor);
        if (ranges === undefined) continue;
        const pods = this.coveredPods(instance, ranges);
        if (pods === 0) continue;
        found.set(instance, { instance, ranges, pods, ...this.memberMinimum(member, instance, ranges, pods) });
      }
    }
    return [...found.values()];
  }

  // The instances of pod components that a member stands for (S11.2).
  memberInstances(member) {
    if (!this.memberCache.has(member)) this.memberCache.set(member, this.findMemberInstances(member));
    return this.memberCache.get(member);
  }

  findMemberInstances(member) {
    let instances = instancesOf(this.reading, member.entry);
    for (const name of member.inner) {
      const readings = instances.map((instance) => instance.embedded).filter((reading) => reading !== undefined);
      instances = readings.flatMap((reading) => instancesOf(reading, reading.mapping.index.get(name)));
    }
    return instances.flatMap((instance) => (instance.component.groups ? podInstances(instance.children) : [instance]));
  }

  // The ranges of an instance that lie in the anchor, in the enclosing group, and in what the member is narrowed to.
  ranges(instance, member, anchor) {
    const outer = this.enclosing.coverage?.get(instance);
    if (this.enclosing.coverage !== undefined && outer === undefined) return undefined;
    const levels = [];
    for (const [i, level] of instance.chain.entries()) {
      let range = outer?.[i];
      if (anchor.by && level.component.entry === this.entry.per.of && level.reading === this.reading) {
        if (!anchor.instances.includes(level)) return undefined;
      }
      const fixed = anchor.levels.find((one) => one.instance.component === level.component && one.instance.reading === level.reading);
      if (fixed !== undefined) {
        if (fixed.instance !== level) return undefined;
        if (fixed.replica !== undefined) range = intersection(range, { from: fixed.replica, to: fixed.replica + 1 });
      }
      if (member.replicas?.of === level.component.entry && level.reading === this.reading) {
        range = intersection(range, this.readRange(member.replicas, level));
      }
      levels.push(range);
    }
    return levels;
  }

  coveredPods(instance, ranges) {
    return finite(product([...instance.chain.map((level, i) => sizeOf(level, ranges[i])), instance.known("podsPerReplica")]));
  }

  // How many pods of an instance must start with the group (S11.4).
  memberMinimum(member, instance, ranges, pods) {
    const { chain } = instance;
    if (member.minPods !== undefined) {
      const result = this.reading.value(member.minPods, instance.scope, instance.path);
      if (result.state === "failed") return { minPods: undefined, isStated: true };
      if (result.state === "present") {
        const given = this.natural(result, member.minPods.at, instance.path);
        const minimum = finite(product([...chain.slice(0, -1).map((level, i) => sizeOf(level, ranges[i])), given]));
        return { minPods: cut(minimum, pods), isStated: true };
      }
    }
    const factors = chain.slice(0, -1).map((level, i) => (ranges[i] === undefined ? level.minAvailable : sizeOf(level, ranges[i])));
    const own = ranges.at(-1);
    if (own === undefined) factors.push(instance.minPodsInParent);
    else factors.push(sizeOf(instance, own), instance.known("podsPerReplica"));
    return { minPods: cut(finite(product(factors)), pods), isStated: false };
  }

  // How many pods must be placed together (S11.5). It may take the minimum from the members.
  minMember(members, scope, path, sources) {
    const { minMember } = this.entry;
    const pods = total(members.map((member) => member.pods));
    const sum = total(members.map((member) => member.minPods));
    const given = minMember === undefined ? { state: "absent" } : this.reading.value(minMember, scope, path);
    if (given.state === "failed") return undefined;
    if (given.state === "absent") {
      if (sum === undefined) this.warn(path);
      return cut(sum, pods);
    }
    const number = this.natural(given, minMember.at, path);
    if (number === undefined) return undefined;
    if (given.place?.text !== undefined) sources.minMember = given.place.text;
    if (sum !== undefined && number < sum) {
      for (const member of members) if (!member.isStated) member.minPods = undefined;
    }
    return pods === undefined ? number : Math.min(number, pods);
  }
}

const placeOf = (instance) => ({ component: instance.component.name, instance: instance.id });
const prefix = (id) => (id === "" ? [] : [id]);
const finite = (number) => (number === Infinity ? undefined : number);
const cut = (number, most) => (number === undefined || most === undefined ? number : Math.min(number, most));

function total(numbers) {
  if (numbers.includes(undefined)) return undefined;
  const sum = numbers.reduce((result, number) => result + number, 0);
  return Number.isSafeInteger(sum) ? sum : undefined;
}

function sizeOf(level, range) {
  if (range === undefined) return level.known("replicas");
  const size = range.to - range.from;
  return Number.isNaN(size) ? undefined : Math.max(0, size);
}

function intersection(a, b) {
  if (a === undefined) return b;
  if (b === undefined) return a;
  const from = Math.max(a.from, b.from);
  return { from, to: Math.max(from, Math.min(a.to, b.to)) };
}

const sameLevels = (a, b) => a.length === b.length && a.every((level, i) => level.instance === b[i].instance && level.replica === b[i].replica);

// The names of the components from the outermost to one.
function namesDownTo(entry) {
  return entry === undefined ? [] : [...namesDownTo(entry.above), entry.name];
}

/**
 * The instances of a component, in the order of the map.
 * @param {import("./reading.js").Reading} reading
 * @param {import("./semantics.js").Entry | undefined} entry of the component in the mapping of this reading
 * @returns {import("./reading.js").Instance[]}
 */
export function instancesOf(reading, entry) {
  if (entry === undefined) return [];
  let lists = reading.components;
  let instances = [];
  for (const name of namesDownTo(entry)) {
    instances = lists.filter(({ component }) => component.name === name).flatMap((list) => list.instances);
    lists = instances.flatMap((instance) => instance.children);
  }
  return instances;
}

// The priority class that the templates of all covered pods name, if they all name the same (S11.7).
function commonPriorityClass(members) {
  const names = new Set(members.map(({ instance }) => instance.template?.spec?.priorityClassName));
  const [name] = names;
  return names.size === 1 && typeof name === "string" && name !== "" ? name : undefined;
}
