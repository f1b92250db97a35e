/**
 * Tests of single modules, and of the program on its standard streams.
 */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { parse, ParseError } from "../src/cel/parser.js";
import { check, CheckError } from "../src/cel/checker.js";
import { compareText, normalise } from "../src/data.js";
import { canonical } from "../src/digest.js";
import { DataError } from "../src/errors.js";
import { formatQuantity, parseQuantity, thousandths } from "../src/quantities.js";
import { readYaml } from "../src/yaml.js";
import { updateTests } from "./update.js";

const tests = {
  "data is made plain, and what is no JSON refused"() {
    assert.deepEqual({ ...normalise({ a: null, b: 1 }) }, { b: 1 });
    assert.deepEqual(normalise([null, -0]), [null, 0]);
    for (const bad of [2 ** 53, NaN, Infinity, "\0", "\ud800", { "\0": 1 }]) assert.throws(() => normalise(bad), DataError);
  },

  "texts are ordered by code points"() {
    assert.deepEqual(["\u{1f600}", "\uff01", "b", "a10", "a"].sort(compareText), ["a", "a10", "b", "\uff01", "\u{1f600}"]);
  },

  "the canonical form orders members"() {
    assert.equal(canonical({ b: [1, 1.5], a: "é" }), '{"a":"é","b":[1,1.5]}');
  },

  "quantities are written canonically"() {
    const forms = { "1000m": "1", "1.5Gi": "1536Mi", "0.1n": "1n", "1e3": "1e3", "1024": "1024", "1024Ki": "1Mi", "1000E": "1000E", "0Ki": "0", "1.5": "1500m" };
    for (const [text, form] of Object.entries(forms)) assert.equal(formatQuantity(parseQuantity(text)), form, text);
    assert.equal(thousandths(parseQuantity("0.0001")), 1n);
    for (const bad of ["", "1 Gi", "-1", "1KI", ".", "1e", "--1"]) assert.throws(() => parseQuantity(bad), bad);
  },

  "what is no CEL is told apart from what is not portable"() {
    const names = { has: (name) => name === "object", hasVariable: () => false, hasReference: () => false };
    const judge = (text) => {
      try {
        const { tree, faults } = parse(text);
        check(text, tree, faults, names, false);
        return "ok";
      } catch (error) {
        if (error instanceof ParseError) return "parse";
        if (error instanceof CheckError) return "check";
        throw error;
      }
    };
    const expected = {
      ok: ["object.a + 1", "has(object.a.b)", "[object.a, dyn(1)]", "object.l.exists(x, x == 1)", "type(object.a) == int", "object.a ? 1 : 2", "1 < 2 == true"],
      parse: ["", "1 +", "object.in", "a.var(", "'a", "'a\nb'", "[1].all(var, true)", "a ? b ? c : d : e", "1.", "'\\q'", "!-1", "@"],
      check: ["0x1", "01", "1u", "r'a'", "[1,]", "1 // c", "--1", "'a' < 'b'", "1 == 1.0", "[1, 'a']", "[object.a, 1]", "object.a == null", "x", "size('a')",
        "object.a.matches('b')", "[].all(x, true)", "object.l.all(x, x / 2 == 1)", "{'a': 1, 'a': 2}", "timestamp('x')", "has(object)", "object.`a`", ".5", "object{a: 1}",
        "object.metadata.labels.a + object.metadata.labels.b"],
    };
    for (const [verdict, texts] of Object.entries(expected)) for (const text of texts) assert.equal(judge(text), verdict, text);
  },

  "YAML is read as kubectl reads it"() {
    const [read] = readYaml("a: yes\nb: 12:30:45\nc: 2026-01-02\nd: 017\ne: 0x10\nf: 1_000\ng: ~\nh: 1e3\ni: 'no'\non: 1\nj: &x {k: 1}\nl: {<<: *x, m: 2}");
    assert.deepEqual(JSON.parse(JSON.stringify(read)), {
      a: true, b: "12:30:45", c: "2026-01-02", d: 15, e: 16, f: 1000, g: null, h: 1000, i: "no", true: 1, j: { k: 1 }, l: { k: 1, m: 2 },
    });
    for (const bad of ["a: 1\na: 2", "? [a]\n: 1", "~: 1", "a: !x 1", "&a [*a]", "a: *b", "a: .inf", "a: [1"]) assert.throws(() => readYaml(bad), DataError, bad);
  },

  async "the program answers each line with a line, and survives what it cannot read"() {
    const program = spawn(process.execPath, [fileURLToPath(new URL("../reader.js", import.meta.url))], { stdio: ["pipe", "pipe", "inherit"] });
    const lines = createInterface({ input: program.stdout })[Symbol.asyncIterator]();
    const ask = async (line) => {
      program.stdin.write(`${typeof line === "string" ? line : JSON.stringify(line)}\n`);
      return JSON.parse((await lines.next()).value);
    };
    assert.deepEqual((await ask({ cmd: "hello", protocol: 1, suite: "s", runner: "r" })).specVersions, ["v1alpha1"]);
    assert.deepEqual(await ask({ cmd: "hello", protocol: 9 }), { protocol: 1 });
    assert.equal((await ask("{")).outcome, "internal");
    assert.equal((await ask({ cmd: "dance", id: "a" })).outcome, "unsupported");
    const deep = `{"cmd":"map","id":"b","specVersion":"v1alpha1","mappings":[],"object":${"[".repeat(20000)}${"]".repeat(20000)}}`;
    assert.equal((await ask(deep)).error.class, "input-invalid");
    assert.deepEqual(await ask({ cmd: "validate", id: "c", mappings: [], later: 1 }), { id: "c", outcome: "ok" });
    assert.equal((await ask({ cmd: "validate", id: "d", mappingText: "a: [" })).error.class, "mapping-syntax");
    // The stream stays open: it is the word that ends the program.
    program.stdin.write('{"cmd":"bye"}\n');
    const code = await new Promise((resolve) => program.once("exit", resolve));
    assert.equal(code, 0);
  },
};

const all = { ...tests, ...updateTests };
let failures = 0;
for (const [name, test] of Object.entries(all)) {
  try {
    await test();
  } catch (error) {
    failures += 1;
    console.log(`FAILED ${name}\n${error.stack}`);
  }
}
console.log(`${Object.keys(all).length - failures} of ${Object.keys(all).length} tests passed`);
process.exitCode = failures === 0 ? 0 : 1;
