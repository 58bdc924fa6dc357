import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { checkSince, type History as KeptHistory, keptHistory } from '@countersign/cli/verify/since';
import { type Generation, noteSigner, openCheckpoint, type RecordProof, type RecordToCover, verifyRecord } from '@countersign/proofs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { attacks } from '../forger/attacks.js';
import { openGeneration } from '../forger/generations.js';
import { History } from '../forger/history.js';
import { grow } from '../forger/honest-log.js';
import { Random } from '../forger/random.js';

const script = path.join(process.cwd(), 'test/conformance/python/verify_history.py');
const signer = noteSigner('log.example', Buffer.alloc(32, 7));
const log = signer.verifier;
const EDITS = 60;
let dir: string;
beforeAll(() => {
  dir = mkdtempSync(path.join(tmpdir(), 'history-'));
});
afterAll(() => rmSync(dir, { recursive: true, force: true }));

interface Reported {
  earlier: string;
  later: string;
  history: string;
}

async function kept(history: History, first: number): Promise<string> {
  const middle = Math.ceil((first + history.size) / 2);
  const pages = [
    await history.entriesUpTo(first, middle),
    ...(middle < history.size ? [await history.entriesUpTo(middle, history.size)] : []),
  ];
  return JSON.stringify({ format: 'countersign-history/v1', heads: await history.heads(first), pages } satisfies KeptHistory);
}

/** Trees were damaged, and an operator let them go on. */
async function decidedLog(seed: number): Promise<History> {
  const random = new Random(seed);
  let claims = grow([], 3, random);
  for (let n = 0; n < 2; n++) claims = grow(await openGeneration(claims, random), 1, random, `after ${n}`);
  return History.publish(claims, signer);
}

const PLACE = `
import base64, json, sys
sys.path.insert(0, sys.argv[1])
from notes import open_checkpoint
from trees import check_place
told = json.load(sys.stdin)
check_place(told["record"], base64.b64decode(told["value"]), told["record"]["proof"], *open_checkpoint(told["note"], told["vkey"]))
`;

/** Whether the bundle's verifier finds a record in its place. */
function isPlaced({ value, ...record }: RecordToCover, { checkpoint: note, ...proof }: RecordProof): boolean {
  const input = { record: { ...record, proof }, value: Buffer.from(value).toString('base64'), note, vkey: log.vkey };
  return spawnSync('python3', ['-B', '-c', PLACE, path.dirname(script)], { input: JSON.stringify(input) }).status === 0;
}

const theirs = (input: Reported): number | null => run(input).status;
const stdoutOf = (input: Reported): string => run(input).stdout;

function run({ earlier, later, history }: Reported) {
  const files = [earlier, later, history].map((text, at) => {
    const file = path.join(dir, `${at}`);
    writeFileSync(file, text);
    return file;
  });
  return spawnSync('python3', ['-B', script, log.vkey, ...files], { encoding: 'utf8' });
}

async function ours({ earlier, later, history }: Reported): Promise<number> {
  const [first, second] = [openCheckpoint(earlier, log), openCheckpoint(later, log)];
  try {
    const source = keptHistory(history);
    if (!first || !second || typeof source === 'string') return 1;
    return (await checkSince(first, second, log, source)).kind === 'continued' ? 0 : 1;
  } catch {
    return 1;
  }
}

describe('a check in another language that a log only grew', () => {
  test('accepts an honest log, as ours does', async () => {
    for (let seed = 0; seed < 5; seed++) {
      const honest = await History.publish(grow([], 7, new Random(seed)), signer);
      const first = 1 + (seed % 5);
      const input = { earlier: honest.note(first), later: honest.note(), history: await kept(honest, first) };
      expect([seed, theirs(input), await ours(input)]).toEqual([seed, 0, 0]);
    }
  }, 60_000);

  test.each(Object.keys(attacks))(
    'refuses with ours: %s',
    async (name) => {
      for (let seed = 0; seed < 4; seed++) {
        const random = new Random(seed);
        const claims = grow([], 6, random);
        const honest = await History.publish(claims, signer);
        const attack = await (attacks[name] as (typeof attacks)[string])(claims, random);
        const forged = await History.publish(attack.claims, signer);
        const first = Math.max(1, attack.seen_min === 0 ? attack.at : attack.seen_min);
        if (forged.size <= first) continue;
        const input = { earlier: honest.note(first), later: forged.note(), history: await kept(forged, first) };
        expect([seed, theirs(input), await ours(input)]).toEqual([seed, 1, 1]);
      }
    },
    60_000,
  );

  test('accepts with ours a log in which an operator let a damaged tree go on, and names what was frozen', async () => {
    for (let seed = 0; seed < 5; seed++) {
      const honest = await decidedLog(seed);
      const input = { earlier: honest.note(1), later: honest.note(), history: await kept(honest, 1) };
      expect([seed, theirs(input), await ours(input)]).toEqual([seed, 0, 0]);
      expect(stdoutOf(input)).toMatch(/but for:\nNOT CONTINUED: .* is frozen; .*#2 goes on from offset \d+/);
    }
  }, 60_000);

  test('finds with ours the place of a record in a later generation of its tree, and none with another generation', async () => {
    const honest = await decidedLog(2);
    const name = [...(honest.claims.at(-1)?.generations ?? new Map()).keys()].at(-1) as string;
    const { offset } = (honest.claims.at(-1)?.trees.get(name) ?? []).at(-1) as { offset: number };
    const { record, proof } = await honest.prove(name, offset, honest.size - 1);
    const { generation } = proof.tree as { generation: Generation };
    const places = [
      generation,
      { ...generation, number: generation.number + 1 },
      { ...generation, base_offset: generation.base_offset + 1 },
      { ...generation, decision: generation.decision.replace(/.$/, 'f') },
      { ...generation, more: 1 },
      undefined,
    ].map((of) => ({ ...proof, tree: { size: proof.tree.size, path: proof.tree.path, ...(of ? { generation: of } : {}) } }));
    expect(places.map((place) => isPlaced(record, place))).toEqual([true, false, false, false, false, false]);
    expect(places.slice(0, 4).map((place) => verifyRecord(record, place, { log, witnesses: [] }).kind === 'proven')).toEqual([
      true,
      false,
      false,
      false,
    ]);
  }, 60_000);

  test.each([
    ['every edit of one character', () => History.publish(grow([], 7, new Random(1)), signer)],
    ['every edit of one character where trees were frozen', () => decidedLog(1)],
  ])(
    'refuses with ours %s',
    async (_, publish) => {
      const honest = await publish();
      const input = { earlier: honest.note(2), later: honest.note(), history: await kept(honest, 2) };
      const random = new Random(11);
      const unproven = /"checkpoint":"[^"]*"/g;
      const notes = [...input.history.matchAll(unproven)].map(({ index, 0: found }) => [index, index + found.length] as const);
      for (let n = 0; n < EDITS; ) {
        const at = random.below(input.history.length);
        // The notes inside repeat what the two checkpoints say: they prove nothing of their own.
        if (notes.some(([from, end]) => at >= from && at < end)) continue;
        n += 1;
        const { history } = input;
        const edited = { ...input, history: `${history.slice(0, at)}${history[at] === '1' ? '2' : '1'}${history.slice(at + 1)}` };
        expect([at, theirs(edited), await ours(edited)]).toEqual([at, 1, 1]);
      }
    },
    120_000,
  );
});
