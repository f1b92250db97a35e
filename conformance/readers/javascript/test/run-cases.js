/**
 * Runs the conformance cases of this repository, in this process.
 *
 * `node test/run-cases.js [--verbose] [PART ...]` runs the cases whose id contains one of the parts.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { isDeepStrictEqual } from "node:util";
import { answer } from "../src/protocol.js";
import { mapFault } from "../src/schemas.js";
import { readYaml } from "../src/yaml.js";

const MEMBERS = ["mappings", "mappingText", "object", "references", "pods", "intent", "options"];
const ROOT = fileURLToPath(new URL("../../../../", import.meta.url));

function files(folder, ending) {
  return readdirSync(folder, { recursive: true })
    .map(String)
    .filter((name) => name.endsWith(ending))
    .sort()
    .map((name) => join(folder, name));
}

function readOne(file) {
  return plain(readYaml(readFileSync(file, "utf8"))[0]);
}

/** A value as JSON carries it, nulls of maps included. */
function plain(value) {
  return value === undefined ? undefined : JSON.parse(JSON.stringify(value));
}

const shipped = files(join(ROOT, "mappings"), ".yaml")
  .flatMap((file) => readYaml(readFileSync(file, "utf8")).map(plain))
  .filter((document) => document?.kind === "WorkloadMapping");

/** What is not compared: the digest of the mapping and the text of messages. Nulls are absence (S2.3). */
function comparable(document) {
  const copy = plain(document);
  if (copy?.mapping) delete copy.mapping.digest;
  for (const diagnostic of copy?.diagnostics ?? []) delete diagnostic.message;
  return copy;
}

function judge(expected, got) {
  if (expected.outcome !== got.outcome) return `outcome ${got.outcome} ${JSON.stringify(got.error ?? got.message ?? "")}`;
  if (expected.outcome === "rejected") {
    const classes = expected.anyClass ?? [expected.class];
    if (!classes.includes(got.error.class)) return `class ${got.error.class}: ${got.error.message}`;
    if (expected.at !== undefined && expected.at !== got.error.at) return `at ${got.error.at}`;
    return undefined;
  }
  if (expected.wanted !== undefined) return isDeepStrictEqual(expected.wanted, plain(got.wanted)) ? undefined : difference(expected.wanted, plain(got.wanted), "");
  // A changed workload is compared as it is, nulls among it.
  if (expected.object !== undefined) return difference(expected.object, plain(got.object), "");
  if (expected.document === undefined) return undefined;
  const fault = mapFault(plain(got.document));
  if (fault !== undefined) return `the map does not fit its schema: ${fault.message}`;
  return difference(comparable(expected.document), comparable(got.document), "");
}

/** The first difference between two values, as text. */
function difference(expected, got, at) {
  if (isDeepStrictEqual(expected, got)) return undefined;
  const maps = [expected, got].every((value) => typeof value === "object" && value !== null) && Array.isArray(expected) === Array.isArray(got);
  if (maps) {
    for (const key of new Set([...Object.keys(expected), ...Object.keys(got)])) {
      const found = difference(expected[key], got[key], `${at}/${key}`);
      if (found !== undefined) return found;
    }
  }
  return `${at}: expected ${JSON.stringify(expected)}, got ${JSON.stringify(got)}`;
}

const verbose = process.argv.includes("--verbose");
const parts = process.argv.slice(2).filter((argument) => !argument.startsWith("--"));
const results = new Map();
let failures = 0;
const folder = join(ROOT, "conformance", "cases");
for (const file of files(folder, ".case.yaml")) {
  const name = file.slice(folder.length + 1, -".case.yaml".length);
  if (parts.length > 0 && !parts.some((part) => name.includes(part))) continue;
  let fault;
  try {
    const given = readOne(file);
    const { expect } = given;
    const request = { cmd: given.do ?? "map", id: given.id, specVersion: "v1alpha1" };
    for (const member of MEMBERS) if (member in given) request[member] = given[member];
    if (request.mappings === undefined && request.mappingText === undefined) request.mappings = shipped;
    fault = judge(expect, JSON.parse(JSON.stringify(answer(request))));
  } catch (error) {
    fault = `the case cannot be run: ${error.stack}`;
  }
  const profile = name.startsWith("catalog/") ? "catalog" : name.split("/")[1];
  const count = results.get(profile) ?? { passed: 0, all: 0 };
  count.all += 1;
  if (fault === undefined) count.passed += 1;
  else {
    failures += 1;
    console.log(`FAILED ${name}\n  ${verbose ? fault : fault.slice(0, 400)}`);
  }
  results.set(profile, count);
}
for (const [profile, { passed, all }] of results) console.log(`${profile}: ${passed} of ${all}`);
process.exitCode = failures === 0 ? 0 : 1;
