import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { type NoteVerifier, parseVkey } from '@countersign/proofs';
import type { Command, Outcome } from '../command.js';
import { look } from '../monitor/look.js';
import { MonitorState } from '../monitor/monitor-state.js';
import { inert } from '../text/inert.js';
import { openingLines } from '../text/openings-text.js';
import { LogClient, LogUnavailable } from '../witness/log-client.js';
import { WitnessFault } from '../witness/synced-file.js';

const options = {
  log: { type: 'string', default: 'http://127.0.0.1:7070' },
  vkey: { type: 'string' },
  dir: { type: 'string', default: './.countersign-monitor' },
  'every-ms': { type: 'string', default: '10000' },
  once: { type: 'boolean', default: false },
} as const;

interface Watch {
  client: LogClient;
  log: NoteVerifier;
  state: MonitorState;
  every_ms: number;
  once: boolean;
}

const wrong = (line: string): Outcome => ({ code: 2, lines: [line, `usage: npm run countersign -- monitor ${monitor.usage}`] });

async function watchOn({ client, log, state, every_ms, once }: Watch): Promise<Outcome> {
  let at = await state.read();
  for (;;) {
    try {
      const looked = await look(at, client, log, state);
      if (looked.kind === 'alert') return { code: 1, lines: [inert(`ALERT: ${looked.reason}`)] };
      at = looked.at;
      for (const line of looked.openings.flatMap(openingLines)) process.stdout.write(`${line}\n`);
      const { checked, unchecked } = at.cases;
      const left = unchecked > 0 ? `, ${unchecked} not (records were dropped or given up)` : '';
      const line = `checked up to checkpoint ${at.log.size}: ${checked} leaves of cases recomputed${left}`;
      if (once) return { code: 0, lines: [line] };
      if (looked.entries > 0) process.stdout.write(`${line}\n`);
    } catch (cause) {
      if (!(cause instanceof LogUnavailable)) throw cause;
      if (once) return { code: 1, lines: [cause.message] };
      process.stderr.write(`${cause.message}\n`);
      // What was read of an unfinished page is read again.
      at = await state.read();
    }
    await sleep(every_ms);
  }
}

/** `countersign monitor`: refolds the tree of cases from the records of a tenant, and alerts if a leaf does not count them. */
export const monitor: Command = {
  name: 'monitor',
  usage:
    '--vkey <key of the log> [--log <url>] [--dir <folder of the state>] [--every-ms N] [--once]; COUNTERSIGN_TOKEN holds a token with the role auditor',
  about:
    'checks every entry of a log, hashes the records of your tenant, and recomputes each leaf of the tree of cases; prints ALERT and exits with 1 if a record is left out of its case, a leaf or count is another, or the log was rewritten',
  async run(args, env) {
    let values: { log: string; vkey?: string; dir: string; 'every-ms': string; once: boolean };
    try {
      ({ values } = parseArgs({ args: [...args], options }) as unknown as { values: typeof values });
    } catch (cause) {
      return wrong((cause as Error).message);
    }
    const every_ms = Number(values['every-ms']);
    if (!Number.isInteger(every_ms) || every_ms < 100) return wrong('--every-ms must be a whole number of at least 100');
    const log = values.vkey === undefined ? undefined : parseVkey(values.vkey);
    if (!log) return wrong('--vkey is missing or not a key: take the key of the log from a source that you trust');
    if (!env.COUNTERSIGN_TOKEN) return wrong('COUNTERSIGN_TOKEN is missing: set a token with the role auditor');
    const client = new LogClient(values.log, env.COUNTERSIGN_TOKEN);
    try {
      return await watchOn({ client, log, state: new MonitorState(values.dir, log), every_ms, once: values.once });
    } catch (cause) {
      if (cause instanceof WitnessFault) return { code: 1, lines: [cause.message] };
      throw cause;
    }
  },
};
