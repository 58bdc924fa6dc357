import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { cosign, type NoteSigner, type NoteVerifier, type Opening, parseVkey } from '@countersign/proofs';
import type { Command, Outcome } from '../command.js';
import { openingLines } from '../text/openings-text.js';
import { acceptOpening } from '../witness/accept-opening.js';
import { type Judgement, judge } from '../witness/follow-log.js';
import { LogClient, LogUnavailable } from '../witness/log-client.js';
import { WitnessFault } from '../witness/synced-file.js';
import { WitnessState, witnessKey } from '../witness/witness-state.js';

const options = {
  log: { type: 'string', default: 'http://127.0.0.1:7070' },
  vkey: { type: 'string' },
  dir: { type: 'string', default: './.countersign-witness' },
  name: { type: 'string', default: 'witness.local' },
  'every-ms': { type: 'string', default: '1000' },
  once: { type: 'boolean', default: false },
  'new-key': { type: 'boolean', default: false },
  reason: { type: 'string' },
} as const;

interface Watch {
  client: LogClient;
  log: NoteVerifier;
  key: NoteSigner;
  state: WitnessState;
}

interface Values {
  log: string;
  vkey?: string;
  dir: string;
  name: string;
  'every-ms': string;
  once: boolean;
  'new-key': boolean;
  reason?: string;
}

const wrong = (line: string): Outcome => ({ code: 2, lines: [line, `usage: npm run countersign -- witness ${witness.usage}`] });

/** One check of the log. A contradiction is final: nothing is signed, and a person must investigate. */
async function look({ client, log, key, state }: Watch, now_s: number): Promise<Judgement> {
  const judgement = await judge(await state.seen(), client, log, (followed, note) => state.save(followed, note));
  if (judgement.kind === 'cosign') await client.cosigned(judgement.note + cosign(judgement.text, now_s, key));
  return judgement;
}

/** Cosigns nothing until the operator of this witness confirms the decision of the log's operator. */
async function stopAt({ openings }: WitnessState, undecided: readonly Opening[]): Promise<Outcome> {
  await openings.wait(undecided);
  const decisions = [...new Set(undecided.map(({ decision }) => decision.event_id))];
  const run = decisions.map(
    (decision) => `npm run countersign -- witness accept ${decision} --reason "..." with --vkey and --dir of this witness`,
  );
  const ask =
    'STOPPED: this witness cosigns nothing. Ask the operator of the log and compare with your own copies; if you accept the change, run:';
  return { code: 1, lines: [...undecided.flatMap(openingLines), ask, ...run] };
}

async function watchOn(watch: Watch, every_ms: number, once: boolean): Promise<Outcome> {
  for (;;) {
    try {
      const judgement = await look(watch, Math.floor(Date.now() / 1000));
      if (judgement.kind === 'contradiction') return { code: 1, lines: [`CONTRADICTION: ${judgement.reason}`] };
      if (judgement.kind === 'undecided') return await stopAt(watch.state, judgement.openings);
      if (judgement.kind === 'cosign') process.stdout.write(`cosigned checkpoint ${judgement.size}\n`);
      if (once) return { code: 0, lines: [judgement.kind === 'cosign' ? 'done' : 'nothing new'] };
    } catch (cause) {
      if (!(cause instanceof LogUnavailable)) throw cause;
      if (once) return { code: 1, lines: [cause.message] };
      process.stderr.write(`${cause.message}\n`);
    }
    await sleep(every_ms);
  }
}

/**
 * `countersign witness`: checks entry by entry that every tree of a log only grows, and cosigns its checkpoints (C2SP tlog-cosignature).
 */
export const witness: Command = {
  name: 'witness',
  usage:
    '--vkey <key of the log> [--log <url>] [--dir <folder of key and state>] [--name <name>] [--every-ms N] [--once] | accept [<decision>] --reason <why> --vkey <key of the log> [--dir …] | --new-key [--dir …] [--name …]; COUNTERSIGN_TOKEN holds a token with the role auditor',
  about:
    'checks every entry of a log and every changed tree in order, and cosigns the checkpoints; stops when a tree was rewritten or the log forked or shrank, and, until its operator accepts it, when a new generation replaces a damaged tree',
  async run(args, env) {
    let values: Values;
    let positionals: string[];
    try {
      ({ values, positionals } = parseArgs({ args: [...args], allowPositionals: true, options }) as {
        values: Values;
        positionals: string[];
      });
    } catch (cause) {
      return wrong((cause as Error).message);
    }
    const [verb, decision, ...more] = positionals;
    if (verb !== undefined && (verb !== 'accept' || more.length > 0))
      return wrong(`unexpected arguments: ${positionals.join(' ').slice(0, 80)}`);
    const every_ms = Number(values['every-ms']);
    if (!Number.isInteger(every_ms) || every_ms < 100) return wrong('--every-ms must be a whole number of at least 100');
    try {
      const key = await witnessKey(path.join(values.dir, 'witness.key'), values.name);
      if (values['new-key']) return { code: 0, lines: [key.verifier.vkey] };
      const log = values.vkey === undefined ? undefined : parseVkey(values.vkey);
      if (!log) return wrong('--vkey is missing or not a key: take the key of the log from a source that you trust');
      const state = new WitnessState(values.dir, log);
      if (verb !== undefined) return await acceptOpening(state.openings, decision, values.reason, Date.now());
      if (!env.COUNTERSIGN_TOKEN) return wrong('COUNTERSIGN_TOKEN is missing: set a token with the role auditor');
      const client = new LogClient(values.log, env.COUNTERSIGN_TOKEN);
      return await watchOn({ client, log, key, state }, every_ms, values.once);
    } catch (cause) {
      if (cause instanceof WitnessFault) return { code: 1, lines: [cause.message] };
      throw cause;
    }
  },
};
