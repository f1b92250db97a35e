/**
 * Gang entries (S11.1 to S11.2.2), compiled and checked against the components that they name.
 */
import { hasKey, isMap } from "./data.js";
import { Rejection } from "./errors.js";
import { ANY_NAMES } from "./names.js";
import { contains, withinReach } from "./semantics.js";
import { compileCondition, compileValue } from "./values.js";

const TEXTS = ["queue", "priorityClass"];
const TOPOLOGY = ["required", "preferred"];

/**
 * @param {object[]} entries
 * @param {string} at
 * @param {import("./names.js").Names} names the scope that the entries stand in
 * @param {Map<string, import("./semantics.js").Entry>} index the components of the mapping
 */
export function compileGang(entries, at, names, index) {
  return entries.map((entry, i) => compileEntry(entry, `${at}/${i}`, names, index));
}

function refuse(message, at) {
  throw new Rejection("mapping-semantic", message, at);
}

function compileEntry(entry, at, names, index) {
  const compiled = { name: entry.name, at };
  if (hasKey(entry, "when")) compiled.when = compileCondition(entry.when, names, `${at}/when`);
  if (hasKey(entry, "from")) {
    compiled.from = index.get(entry.from) ?? refuse(`there is no component ${entry.from}`, `${at}/from`);
    if (!compiled.from.embeds) refuse(`the component ${entry.from} embeds nothing`, `${at}/from`);
    return compiled;
  }
  let inside = names;
  if (hasKey(entry, "per")) {
    compiled.per = compilePer(entry.per, `${at}/per`, index);
    inside = compiled.per.of.names;
  }
  compiled.members = entry.members.map((member, i) => compileMember(member, `${at}/members/${i}`, compiled.per?.of, index));
  if (hasKey(entry, "minMember")) compiled.minMember = compileValue(entry.minMember, inside, `${at}/minMember`);
  compiled.texts = TEXTS.filter((name) => hasKey(entry, name)).map((name) => [name, compileValue(entry[name], inside, `${at}/${name}`)]);
  compiled.topology = TOPOLOGY.filter((name) => isMap(entry.topology) && hasKey(entry.topology, name)).map((name) => [
    name,
    compileValue(entry.topology[name], inside, `${at}/topology/${name}`),
  ]);
  compiled.subgroups = compileGang(entry.subgroups ?? [], `${at}/subgroups`, inside, index);
  return compiled;
}

function compilePer(per, at, index) {
  const replicaOf = hasKey(per, "replicaOf");
  const name = replicaOf ? per.replicaOf : per.instanceOf;
  const of = index.get(name) ?? refuse(`there is no component ${name}`, at);
  const compiled = { of, replicaOf };
  for (const bound of ["from", "to"]) {
    if (hasKey(per, bound)) compiled[bound] = compileValue(per[bound], of.names, `${at}/${bound}`);
  }
  if (hasKey(per, "by")) compiled.by = compileValue(per.by, of.names, `${at}/by`);
  return compiled;
}

function compileMember(member, at, group, index) {
  const source = isMap(member) ? member : { component: member };
  const [name, ...inner] = source.component.split("/");
  const entry = index.get(name) ?? refuse(`there is no component ${name}`, at);
  if (inner.length > 0 && !entry.embeds) refuse(`the component ${name} embeds nothing`, at);
  if (group !== undefined && !withinReach(entry, group)) refuse(`${source.component} is not within reach of ${group.name}`, at);
  const compiled = { at, entry, inner };
  const names = inner.length > 0 ? ANY_NAMES : entry.names;
  if (hasKey(source, "minPods")) {
    if (inner.length === 0 && entry.groups) refuse("a member that groups others has no minPods", at);
    compiled.minPods = compileValue(source.minPods, names, `${at}/minPods`);
  }
  if (hasKey(source, "replicas")) {
    const { replicas } = source;
    const of = index.get(replicas.of) ?? refuse(`there is no component ${replicas.of}`, at);
    if (!contains(of, entry)) refuse(`${replicas.of} is neither ${name} nor above it`, at);
    compiled.replicas = { of };
    for (const bound of ["from", "to"]) {
      if (hasKey(replicas, bound)) compiled.replicas[bound] = compileValue(replicas[bound], of.names, `${at}/replicas/${bound}`);
    }
  }
  return compiled;
}
