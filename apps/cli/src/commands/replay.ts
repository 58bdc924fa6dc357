import { readFile } from 'node:fs/promises';
import { envelopeText } from '@countersign/calls/envelope/envelope';
import { REPLAY_FORMAT, readReplayBundle, replay as replayed } from '@countersign/decisions';
import type { Command, Outcome } from '../command.js';

const BYTES_MAX = 512 * 1024 * 1024;
const SHOWN_MAX = 200;

const wrong = (line: string): Outcome => ({ code: 2, lines: [line, `usage: npm run countersign -- replay ${replay.usage}`] });

/** Makes text of a bundle safe for a terminal. */
const inert = (text: string): string => text.replace(/[^\x20-\x7e\u00a0-\ud7ff]/gu, '?').slice(0, 300);

async function textOf(file: string): Promise<{ text: string } | { fault: string }> {
  try {
    const bytes = await readFile(file);
    return bytes.length > BYTES_MAX ? { fault: `${file} is larger than ${BYTES_MAX} bytes` } : { text: bytes.toString('utf8') };
  } catch (cause) {
    return { fault: `${file} cannot be read: ${(cause as Error).message}` };
  }
}

function decidedAgain(text: string): Outcome {
  const bundle = readReplayBundle(text);
  if ('fault' in bundle) return { code: 1, lines: [inert(bundle.fault)] };
  let report: ReturnType<typeof replayed>;
  try {
    report = replayed(bundle, envelopeText);
  } catch (cause) {
    return { code: 1, lines: [`the bundle cannot be replayed: ${inert((cause as Error).message)}`] };
  }
  const { calls, records, differences, erased, not_bound } = report;
  const unknown = erased.map((call_id) => `call ${inert(call_id)}: not replayed, its inputs are erased`);
  const lines = differences
    .slice(0, SHOWN_MAX)
    .map((one) => inert(`call ${one.call_id}: ${one.at}: recorded ${one.recorded}, replayed ${one.replayed}`));
  if (differences.length > 0) return { code: 1, lines: [...unknown, ...lines, `${differences.length} differences in ${calls} calls`] };
  const bound = bundle.format === REPLAY_FORMAT ? 'every decision and envelope is' : 'every decision is';
  const lines_after = not_bound.map((what) => `not shown by the bundle: ${inert(what)}`);
  return {
    code: 0,
    lines: [...unknown, `replayed: ${calls} calls of ${records} records; ${bound} identical byte for byte`, ...lines_after],
  };
}

/** `countersign replay`: decides the calls of a run again, offline, and compares the results. */
export const replay: Command = {
  name: 'replay',
  usage: '<bundle.json>',
  about: 'replays the decisions in a bundle of GET /v1/runs/{run_id}/replay-bundle and compares them byte for byte',
  async run(args) {
    const [file, ...more] = args;
    if (file === undefined || more.length > 0 || file.startsWith('--')) return wrong('expected one bundle file');
    const read = await textOf(file);
    return 'fault' in read ? { code: 1, lines: [read.fault] } : decidedAgain(read.text);
  },
};
