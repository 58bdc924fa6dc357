import { readFile, stat, writeFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { type Bundle, type BundleReport, verifyBundle } from '@countersign/evidence';
import type { NoteVerifier, Trust } from '@countersign/proofs';
import type { Command, Outcome } from '../command.js';
import { inert } from '../text/inert.js';
import { checkTimestamp, readAuthorities } from '../verify/bundle-timestamp.js';
import { report } from '../verify/report.js';
import { checkSince, type HistorySource, keptHistory, readEarlier, replaced, rewritten, type SinceVerdict } from '../verify/since.js';
import { BadTrust, readTrust, trustOf } from '../verify/trust-file.js';
import { LogClient, LogUnavailable } from '../witness/log-client.js';

const BYTES_MAX = 512 * 1024 * 1024;

const options = {
  vkey: { type: 'string' },
  witness: { type: 'string', multiple: true },
  trust: { type: 'string' },
  tsa: { type: 'string' },
  since: { type: 'string' },
  log: { type: 'string' },
  history: { type: 'string' },
  'save-history': { type: 'string' },
} as const;

type Options = { [name in Exclude<keyof typeof options, 'witness'>]?: string } & { witness?: string[] };

const wrong = (line: string): Outcome => ({ code: 2, lines: [line, `usage: npm run countersign -- verify ${verify.usage}`] });
const refused = (reason: string): Outcome => ({ code: 1, lines: [`refused: ${inert(reason)}`] });

const incomplete = (gaps: readonly string[]): Outcome => ({
  code: 1,
  lines: ['refused: each record is proven, but the bundle is not complete or not in order:', ...gaps.map((gap) => `  ${inert(gap)}`)],
});

/** A named file cannot be read; the message is one line. */
class Unreadable extends Error {}

async function readText(file: string): Promise<string> {
  try {
    if ((await stat(file)).size > BYTES_MAX) throw new Error(`the file is larger than ${BYTES_MAX} bytes`);
    return await readFile(file, 'utf8');
  } catch (cause) {
    throw new Unreadable(`${file} cannot be read: ${(cause as Error).message}`);
  }
}

/** Reads and parses a file. @throws Unreadable */
async function read<T>(file: string, make: (text: string) => T): Promise<T> {
  const text = await readText(file);
  try {
    return make(text);
  } catch (cause) {
    throw new Unreadable(`${file} cannot be read: ${(cause as Error).message}`);
  }
}

function sourceOf({ log, history }: Options, token: string | undefined): Promise<HistorySource | string> | HistorySource | undefined {
  if (history !== undefined) return read(history, keptHistory);
  return log === undefined ? undefined : new LogClient(log, token ?? '');
}

/** The result of `--since`; an exit code if it ends the run. */
async function since(
  options: Options,
  token: string | undefined,
  bundle: Bundle,
  found: BundleReport,
  log: NoteVerifier,
): Promise<SinceVerdict | Outcome | undefined> {
  if (options.since === undefined) return undefined;
  const earlier = await read(options.since, (text) => readEarlier(text, log));
  if (typeof earlier === 'string') return refused(earlier);
  const place = rewritten(earlier, bundle);
  if (place !== undefined) return refused(`record ${place} was rewritten: the earlier bundle proves different bytes at this offset`);
  const later = { size: found.checkpoint_size, root: Buffer.from(found.checkpoint_root, 'base64') };
  if (earlier.checkpoint.size > later.size)
    return wrong(
      `the earlier file has checkpoint ${earlier.checkpoint.size}, which is newer than checkpoint ${later.size} of the bundle: swap the two`,
    );
  const source = await sourceOf(options, token);
  if (typeof source === 'string') return refused(source);
  const verdict = await checkSince(earlier.checkpoint, later, log, source);
  const save = options['save-history'];
  if (verdict.kind === 'continued' && save !== undefined) await writeFile(save, JSON.stringify(verdict.history));
  if (verdict.kind === 'refused') return refused(verdict.reason);
  return verdict.kind === 'continued' ? { ...verdict, replaced: replaced(earlier, bundle) } : verdict;
}

function notChecked(lines: string[], { from, to }: { from: number; to: number }): Outcome {
  const missing = `NOT CHECKED: the entries between checkpoints ${from} and ${to}. Give the log (--log <url>, COUNTERSIGN_TOKEN) or a file with the entries (--history).`;
  return { code: 1, lines: [...lines, missing] };
}

async function check(file: string, options: Options, trust: Trust, token: string | undefined): Promise<Outcome> {
  const authorities = options.tsa === undefined ? undefined : await readAuthorities(options.tsa);
  const bundle = await read(file, (text) => JSON.parse(text) as Bundle);
  const found = verifyBundle(bundle, trust);
  if (found.kind === 'refused') return found.gaps ? incomplete(found.gaps) : refused(found.reason);
  const timestamp = checkTimestamp(bundle, trust.log, authorities);
  if (timestamp.kind === 'refused') return refused(timestamp.reason);
  const verdict = await since(options, token, bundle, found, trust.log);
  if (verdict && 'code' in verdict) return verdict;
  const lines = report(found, verdict, timestamp);
  return verdict?.kind === 'not_checked' ? notChecked(lines, verdict) : { code: 0, lines };
}

/** `countersign verify`: checks a bundle offline. Trusts only the given keys. */
export const verify: Command = {
  name: 'verify',
  usage:
    '<bundle.json> (--trust <file> | --vkey <key of the log> [--witness [heads:]<key>]...) [--tsa <certificate of the time-stamping authority>] [--since <earlier bundle, checkpoint or witness state> [--log <url> [--save-history <file>] | --history <file>]]',
  about:
    'verifies a bundle of GET /v1/audit/bundle offline and trusts only the given keys; --since also verifies that the log only grew between two checkpoints',
  async run(args, env) {
    let parsed: { values: Options; positionals: string[] };
    try {
      parsed = parseArgs({ args: [...args], allowPositionals: true, options });
    } catch (cause) {
      return wrong((cause as Error).message);
    }
    const [file, ...more] = parsed.positionals;
    const { vkey, witness = [], trust } = parsed.values;
    if (file === undefined || more.length > 0) return wrong('expected one bundle file');
    if (trust !== undefined && (vkey !== undefined || witness.length > 0))
      return wrong('--trust names all keys: omit --vkey and --witness');
    if (trust === undefined && vkey === undefined)
      return wrong('--vkey is missing: take it from a source that you trust, not from the bundle');
    try {
      const keys = trust === undefined ? trustOf(vkey as string, witness) : await readTrust(trust);
      return await check(file, parsed.values, keys, env.COUNTERSIGN_TOKEN);
    } catch (cause) {
      if (cause instanceof BadTrust) return wrong(cause.message);
      if (cause instanceof Unreadable || cause instanceof LogUnavailable) return { code: 1, lines: [cause.message] };
      throw cause;
    }
  },
};
