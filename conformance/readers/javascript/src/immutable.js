/**
 * What cannot be changed in an object that exists (S20.9).
 */
import { hasKey } from "./data.js";
import { UpdateError } from "./errors.js";
import { evaluateCondition } from "./values.js";

/**
 * Refuses writes at, above or below an immutable place.
 * @param {import("./reading.js").Reading} reading
 * @param {import("./targets.js").TargetFinder} finder
 * @param {{tokens: (string | number)[]}[]} writes
 */
export function refuseImmutable(reading, finder, writes) {
  if (!hasKey(reading.object.metadata ?? {}, "uid")) return;
  for (const { entry, scope } of entriesOf(reading)) {
    if (entry.when !== undefined && !evaluateCondition(entry.when, scope, finder.budget).holds) continue;
    const places = tokensOf(entry.places, scope, finder);
    const except = tokensOf(entry.except, scope, finder);
    for (const { tokens } of writes) {
      const touches = places.some((place) => isAtOrBelow(tokens, place) || isAtOrBelow(place, tokens));
      if (touches && !except.some((place) => isAtOrBelow(tokens, place))) throw new UpdateError(entry.reason);
    }
  }
}

// Those of the workload's own mapping.
function* entriesOf(reading) {
  for (const entry of reading.mapping.immutable) yield { entry, scope: reading.scope };
  yield* entriesOfComponents(reading, reading.components);
}

function* entriesOfComponents(reading, components) {
  for (const { component, instances } of components) {
    for (const instance of instances) {
      if (instance.reading !== reading) continue;
      for (const entry of component.immutable) yield { entry, scope: instance.scope };
      yield* entriesOfComponents(reading, instance.children);
    }
  }
}

// The places of paths, whether or not something is there; a path without a place names none.
function tokensOf(paths, scope, finder) {
  return paths.flatMap((path) => {
    try {
      const target = finder.ofExpression(path, scope);
      return target === undefined ? [] : [target.tokens];
    } catch (error) {
      if (!(error instanceof UpdateError)) throw error;
      return [];
    }
  });
}

const isAtOrBelow = (tokens, place) => place.length <= tokens.length && place.every((token, i) => token === tokens[i]);
