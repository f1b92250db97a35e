#!/usr/bin/env node
/**
 * The reader as a program: requests on standard input, one a line, and answers on standard output.
 */
import { createInterface } from "node:readline";
import { answerLine } from "./src/protocol.js";

const lines = createInterface({ input: process.stdin, crlfDelay: Infinity, terminal: false });
for await (const line of lines) {
  if (line.trim() === "") continue;
  const reply = answerLine(line);
  if (reply === undefined) break;
  process.stdout.write(`${reply}\n`);
}

// After `bye` the input may still be open, which would keep the program waiting; what was written goes out first.
process.stdout.write("", () => process.exit(0));
