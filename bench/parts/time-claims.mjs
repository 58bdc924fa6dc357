// What the product says of its own times, in this process and in ms of CPU: each claim is measured as often as the others, and judged by its median.

import path from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { root } from './platforms.mjs';
import { slowness } from './reference-work.mjs';
import { median } from './report.mjs';

const ROUNDS = 5;
const dist = (file) => import(pathToFileURL(path.join(root, file)).href);

function cpuTime(work) {
  const begun = process.cpuUsage();
  work();
  return since(begun);
}

function since(begun) {
  const { user, system } = process.cpuUsage(begun);
  return (user + system) / 1000;
}

const medianOf = (measure) => median(Array.from({ length: ROUNDS + 1 }, measure).slice(1));

/** The longest step, each step by its median over the rounds. */
function longestStep(makeSteps) {
  const rounds = Array.from({ length: ROUNDS }, () => {
    const step = makeSteps();
    const took_ms = [];
    let more = true;
    const next = () => {
      more = step();
    };
    while (more) took_ms.push(cpuTime(next));
    return took_ms;
  });
  return Math.max(...rounds[0].map((_, at) => median(rounds.map((round) => round[at]))));
}

async function dangers() {
  const { findDangers } = await dist('libs/policy/dist/dangers/find-dangers.js');
  const { hostileTexts } = await dist('libs/policy/dist/testing/hostile-texts.js');
  for (let warm = 0; warm < ROUNDS; warm++) for (const text of hostileTexts) findDangers({ text });
  const slowest_ms = Math.max(...hostileTexts.map((text) => medianOf(() => cpuTime(() => findDangers({ text })))));
  return [{ what: `200 KB judged for dangers, the slowest of ${hostileTexts.length} texts`, ms: slowest_ms, max_ms: 20 }];
}

async function schemas() {
  const { schemaFaults } = await dist('libs/contracts/dist/schema/schema-faults.js');
  const { regexHazard } = await dist('libs/contracts/dist/schema/regex-hazard.js');
  const part = (at) => ({ type: 'object', properties: { a: { $ref: `#/$defs/d${at - 1}` } } });
  const doubled = Object.fromEntries(Array.from({ length: 40 }, (_, at) => [`d${at + 1}`, { anyOf: [part(at + 1), part(at + 1)] }]));
  const strings = (make) => ({
    type: 'object',
    properties: Object.fromEntries(Array.from({ length: 2_000 }, (_, at) => [`p${at}`, make(at)])),
  });
  const hostile = [
    { $ref: '#/$defs/d40', $defs: { d0: { type: 'string' }, ...doubled } },
    strings((at) => ({ type: 'string', pattern: `^([a-z]{3,40}-)+[a-z]{${at % 7},}x${at}(a|b)*$` })),
    { type: 'object', properties: { a: { description: 'x'.repeat(1_000_000) } } },
  ];
  const patterns = [`^(${'(a|b)?'.repeat(300)})*$`, 'x'.repeat(5_000), `${'('.repeat(500)}${')'.repeat(500)}`];
  return [
    {
      what: 'a hostile schema refused',
      ms: Math.max(...hostile.map((one) => medianOf(() => cpuTime(() => schemaFaults(one))))),
      max_ms: 100,
    },
    { what: 'an expression refused', ms: Math.max(...patterns.map((one) => medianOf(() => cpuTime(() => regexHazard(one))))), max_ms: 100 },
  ];
}

async function bundles() {
  const { bundlesAhead } = await dist('libs/process/dist/compiled-bundles.js');
  const when =
    'inputs.total < 5000 && inputs.supplier in facts.suppliers && !(context.purpose == "test" || principal.id.startsWith("bot"))';
  const compiled = async (version) => {
    const rules = Array.from({ length: 1000 }, (_, i) => ({ id: `r${i}`, tools: {}, when: `${when} && inputs.n != ${i}`, effect: 'deny' }));
    const begun = process.cpuUsage();
    let done = false;
    const ended = bundlesAhead.compile({ version, bundle_json: JSON.stringify({ rules }), digest: version }).then(() => {
      done = true;
    });
    let longest_ms = 0;
    while (!done) {
      const turn = process.cpuUsage();
      await nextTurn();
      longest_ms = Math.max(longest_ms, since(turn));
    }
    await ended;
    return { whole_ms: since(begun), longest_ms };
  };
  const runs = [];
  for (let round = 0; round <= ROUNDS; round++) runs.push(await compiled(`v${round}`));
  const of = (read) => median(runs.slice(1).map(read));
  return [
    { what: '1,000 rules compiled', ms: of(({ whole_ms }) => whole_ms), max_ms: 1000 },
    { what: '1,000 rules compiled, the longest turn', ms: of(({ longest_ms }) => longest_ms), max_ms: 20 },
  ];
}

async function cases() {
  const { busyCase, decidedAgain, writtenBundle } = await dist('libs/decisions/dist/testing/busy-case.js');
  const world = busyCase();
  const deciding = () => {
    const question = decidedAgain(world);
    return () => question.step();
  };
  const writing = () => {
    const pieces = writtenBundle(world);
    return () => !pieces.next().done;
  };
  return [
    { what: 'a large case decided again, the longest step', ms: longestStep(deciding), max_ms: 20 },
    { what: 'its replay bundle written, the longest step', ms: longestStep(writing), max_ms: 20 },
  ];
}

async function secrets() {
  const { Masker } = await dist('libs/outbound/dist/masking/masker.js');
  const masker = new Masker(Array.from({ length: 20 }, (_, n) => Buffer.alloc(30, n + 65).toString('base64') + n));
  const rows = Array.from({ length: 20_000 }, (_, id) => ({
    id,
    name: `row ${id}`,
    text: 'the quick brown fox jumps over the lazy dog, again and again',
  }));
  const text = JSON.stringify(rows);
  return [{ what: '2 MB masked, 20 secrets', ms: medianOf(() => cpuTime(() => masker.json(text))), max_ms: 500 }];
}

/** Measures by `measure`; on a machine slower than the reference, the limits are longer in the same measure. */
async function onThisMachine(measure) {
  const before = slowness();
  const found = await measure();
  const slower = Math.max(1, (before + slowness()) / 2);
  return found.map(({ what, ms, max_ms }) => ({ what: `${what} (machine ${slower.toFixed(2)})`, ms, max_ms: max_ms * slower }));
}

/** Every claim about work of one process: [{what, ms, max_ms}]. */
export async function claimsOfWork() {
  const found = [];
  for (const measure of [dangers, schemas, bundles, cases, secrets]) found.push(...(await onThisMachine(measure)));
  return found;
}
