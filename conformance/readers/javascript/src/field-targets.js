/**
 * Through what a field of a pod template is written (S20.5): an entry of `podFields`, or the base.
 */
import { hasField } from "./core-types.js";
import { deepCopy, hasKey, isMap, newMap } from "./data.js";
import { UpdateError } from "./errors.js";
import { layPodFields } from "./pod-fields.js";
import { lookUp, Named } from "./targets.js";
import { readBase } from "./templates.js";

const nothing = () => {};

/**
 * The target of a field of an instance's template.
 * @param {import("./targets.js").TargetFinder} finder
 * @param {import("./reading.js").Instance} instance of a pod component
 * @param {import("./targets.js").Step[]} field the steps to it in the template
 * @returns {import("./targets.js").Target | undefined}
 */
export function fieldTarget(finder, instance, field) {
  const base = readBase(instance.component, instance.scope, finder.budget, nothing);
  if (base.state === "failed") throw new UpdateError("the template of an instance failed");
  const entries = recordEntries(finder, instance, base, field);
  const ofEntry = ({ entry, scope, below }) => finder.ofValue(entry.value, scope, below);
  const ofBase = () => (base.state === "present" ? baseTarget(finder, instance, field) : undefined);

  const over = entries.findLast(({ entry, value, holds, hides }) => entry.mode !== "default" && value !== undefined && (holds || hides));
  if (over !== undefined) return ofEntry(over);
  const given = base.state === "present" && lookUp(base.template, field).found !== undefined ? ofBase() : undefined;
  if (given !== undefined) return given;
  const under = entries.find(({ entry, isLaid, holds }) => entry.mode === "default" && isLaid && holds);
  if (under !== undefined) return ofEntry(under);
  return (
    ofBase() ??
    lastTarget(entries.filter(({ isField }) => isField), ofEntry) ??
    lastTarget(entries.filter(({ isField, value }) => !isField && value !== undefined), ofEntry) ??
    lastTarget(entries.filter(({ isField, entry }) => !isField && entry.field !== undefined), ofEntry)
  );
}

function lastTarget(entries, ofEntry) {
  for (const entry of entries.toReversed()) {
    const target = ofEntry(entry);
    if (target !== undefined) return target;
  }
  return undefined;
}

function baseTarget(finder, { component, scope }, field) {
  if (component.podTemplate !== undefined) return finder.ofLayered(component.podTemplate, scope, field);
  const part = field[0] === "spec" ? component.podSpec : component.podMetadata;
  return part === undefined ? undefined : finder.ofLayered(part, scope, field.slice(1));
}

/*
 * The entries that apply and whose field is the field that is asked for or lies above it, in the order in which they are
 * laid: with `below`, the steps to the field inside the value, `value` if it is present, whether it `isField` or lies
 * above, whether the value `holds` the field or `hides` what is below, and whether it `isLaid` where its mode is `default`.
 */
function recordEntries(finder, instance, base, field) {
  const template = base.template === undefined ? newMap() : deepCopy(base.template);
  const records = [];
  const lay = (entries, scope) => {
    for (const entry of entries) {
      let failed = false;
      const record = (_, inside, texts, { value }) => {
        const covered = cover(entry, texts, value, template, field);
        if (covered === undefined) return;
        const { above, below, isWhole } = covered;
        const isLaid = lookUp(template, above).found === undefined;
        const hides = isWhole && entry.mode === "replace";
        const holds = lookUp(value, below).found !== undefined;
        records.push({ entry, scope: inside, value, below, isField: above.length === field.length, isLaid, holds, hides });
      };
      layPodFields([entry], template, scope, finder.budget, () => (failed = true), record);
      if (failed && mayCover(entry, field)) throw new UpdateError("an entry of podFields that gives the field failed");
    }
  };
  lay(instance.component.podFields ?? [], instance.scope);
  const { embedding } = instance.reading;
  const outer = embedding?.component.embed.podFields.filter(({ component }) => component === instance.component.name) ?? [];
  if (outer.length > 0) lay(outer, embedding.scope);
  return records;
}

// The field of an entry, and the steps from it to the field that is asked for, if it is that field or lies above it.
function cover(entry, texts, value, template, field) {
  const path = [...containerSteps(entry, texts.container, template), ...(entry.field ?? []), ...(texts.key === undefined ? [] : [texts.key])];
  if (path.length > field.length || !path.every((step, i) => isSame(step, field[i]))) return undefined;
  const below = field.slice(path.length);
  if (entry.field !== undefined) return { above: path, below, isWhole: true };
  // Each field that its value has is laid for itself. It lies above those that may be added to the value.
  const [first] = below;
  if (first === "name" || !hasField("Container", first)) return undefined;
  return isMap(value) && hasKey(value, first) ? { above: [...path, first], below, isWhole: true } : { above: path, below, isWhole: false };
}

function containerSteps(entry, container, template) {
  if (container === undefined) return [];
  const first = template.spec?.[entry.containers]?.[0];
  return ["spec", entry.containers, new Named(container === "first" ? (isMap(first) ? first.name : NaN) : container)];
}

const isSame = (step, other) => (step instanceof Named && other instanceof Named ? step.name === other.name : step === other);

// Whether an entry that failed might have given the field.
function mayCover(entry, field) {
  const path = entry.field ?? [];
  if (entry.container === undefined) return path.every((step, i) => isSame(step, field[i]));
  const isOther = entry.container.kind === "literal" && !entry.first && entry.container.value !== field[2]?.name;
  return field[1] === entry.containers && !isOther && path.every((step, i) => isSame(step, field[i + 3]));
}
