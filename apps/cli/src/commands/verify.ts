import { readFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { type Bundle, type BundleReport, verifyBundle } from '@countersign/evidence';
import { type NoteVerifier, parseVkey } from '@countersign/proofs';
import type { Command, Outcome } from '../command.js';

const BYTES_MAX = 512 * 1024 * 1024;

const wrong = (line: string): Outcome => ({ code: 2, lines: [line, `usage: npm run countersign -- verify ${verify.usage}`] });

/** Text of a bundle, made harmless for a terminal. */
const inert = (text: string): string => text.replace(/[^\x20-\x7e\u00a0-\ud7ff]/gu, '?').slice(0, 200);
const time = (ms: number): string => (Number.isFinite(ms) && Math.abs(ms) < 8e15 ? new Date(ms).toISOString() : 'an unknown time');

/** Said under every bundle that is good: its reader is not to take it for more. */
const NOT_PROVEN = [
  'not proven by a bundle alone: that no later record, no record of a vote or no call of the case was left out.',
  'Compare it with GET /v1/audit/export of that time, or with a later bundle (docs/auditors.md).',
];

function report({ calls, records, checkpoint_size, checkpoint_time_ms }: BundleReport, witnesses: number): string[] {
  const told = calls.flatMap(({ call_id, tool, status, rulings, viewed, votes }) => [
    `call ${inert(call_id)}: ${inert(tool ?? 'unknown tool')} ${inert(status)}`,
    ...rulings.map(({ revision, effect, rule, bundle_version }) =>
      inert(`  ruling ${revision}: ${effect} by rule ${rule} of policy ${bundle_version}`),
    ),
    ...viewed.map(({ by, at_ms }) => inert(`  shown to ${by} at ${time(at_ms)}`)),
    ...votes.map(({ by, vote, at_ms }) => inert(`  ${vote} by ${by} at ${time(at_ms)}`)),
  ]);
  const seen = witnesses === 0 ? '' : `, cosigned by ${witnesses} witness${witnesses === 1 ? '' : 'es'}`;
  return [
    ...told,
    `verified: ${records} records, each at its place under checkpoint ${checkpoint_size} of ${time(checkpoint_time_ms)}${seen}`,
    ...NOT_PROVEN,
  ];
}

async function readBundle(file: string): Promise<Bundle | string> {
  try {
    const bytes = await readFile(file);
    if (bytes.length > BYTES_MAX) return `${file} is larger than ${BYTES_MAX} bytes`;
    return JSON.parse(bytes.toString('utf8')) as Bundle;
  } catch (cause) {
    return `${file} cannot be read: ${(cause as Error).message}`;
  }
}

function keysOf(texts: readonly string[]): NoteVerifier[] | string {
  const keys = texts.map((text) => parseVkey(text) ?? text);
  const bad = keys.find((key) => typeof key === 'string');
  return bad !== undefined ? `${String(bad).slice(0, 100)} is not a key (name+hash+base64)` : (keys as NoteVerifier[]);
}

/** `countersign verify`: checks a bundle offline. Nothing but the given keys is trusted. */
export const verify: Command = {
  name: 'verify',
  usage: '<bundle.json> --vkey <key of the log> [--witness <key of a witness>]...',
  about: 'checks a bundle of GET /v1/audit/bundle offline, trusting these keys and nothing else',
  async run(args) {
    let parsed: { values: { vkey?: string; witness?: string[] }; positionals: string[] };
    try {
      parsed = parseArgs({
        args: [...args],
        allowPositionals: true,
        options: { vkey: { type: 'string' }, witness: { type: 'string', multiple: true } },
      });
    } catch (cause) {
      return wrong((cause as Error).message);
    }
    const [file, ...more] = parsed.positionals;
    const { vkey, witness = [] } = parsed.values;
    if (file === undefined || more.length > 0) return wrong('name one bundle');
    if (vkey === undefined) return wrong('--vkey is missing: take it from a source that you trust, not from the bundle');
    const keys = keysOf([vkey, ...witness]);
    if (typeof keys === 'string') return wrong(keys);
    const bundle = await readBundle(file);
    if (typeof bundle === 'string') return { code: 1, lines: [bundle] };
    const [log, ...witnesses] = keys as [NoteVerifier, ...NoteVerifier[]];
    const verdict = verifyBundle(bundle, { log, witnesses });
    return verdict.kind === 'verified'
      ? { code: 0, lines: report(verdict, witnesses.length) }
      : { code: 1, lines: [`refused: ${inert(verdict.reason)}`] };
  },
};
