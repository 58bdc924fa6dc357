import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import type { Command, Outcome } from '../command.js';
import { type Api, apiOf, Refused } from '../operator-api.js';
import { progressLine, showProgress } from './progress-line.js';

const POLL_MS = 500;
const options = {
  url: { type: 'string' },
  key: { type: 'string' },
  views: { type: 'boolean', default: false },
} as const;

interface Run {
  run_id: string;
  views: boolean;
  status: 'running' | 'ended';
  started_at: string | null;
  records: number;
  records_total: number;
  rows: number;
  damages: number;
  found: string[];
  fault: string | null;
}

const NEXT = [
  'what to do: copy the data directory before you change it. Restore the log, keys or rows from a backup;',
  '  rows of calls: npm run countersign -- projections rebuild call; of cases: npm run countersign -- projections rebuild case',
  '  then: npm run countersign -- accept-damage   (docs/how-to/auditors.md, "When the record is damaged")',
];

const wrong = (line: string): Outcome => ({ code: 2, lines: [line, `usage: npm run countersign -- scrub ${scrub.usage}`] });

function lineOf({ started_at, records, records_total }: Run): string {
  if (started_at === null) return 'waiting for the projector that signs the checkpoints';
  return progressLine(records, records_total, Date.now() - Date.parse(started_at));
}

async function ended(api: Api, views: boolean): Promise<Run> {
  let run = await api.ask<Run>('POST', '/v1/scrubs', { views });
  for (let shown = ''; run.status === 'running'; await sleep(POLL_MS)) {
    run = await api.ask<Run>('GET', `/v1/scrubs/${run.run_id}`);
    const line = run.status === 'running' ? lineOf(run) : '';
    showProgress(line, shown);
    shown = line;
  }
  return run;
}

function outcomeOf({ records, rows, views, damages, found, fault }: Run): Outcome {
  const compared = `${records} records${views ? ` and ${rows} rows` : ''} were compared`;
  if (damages > 0) {
    const more = damages > found.length ? [`and ${damages - found.length} more`] : [];
    return { code: 1, lines: [`DAMAGED: ${damages} places differ from what was signed; ${compared}`, ...found, ...more, ...NEXT] };
  }
  if (fault !== null) return { code: 1, lines: [`the comparison is incomplete: ${fault}`] };
  return { code: 0, lines: [`no damage: ${compared} with what was signed`] };
}

/** `countersign scrub`: compares the whole record with what was signed, now, through the running server. */
export const scrub: Command = {
  name: 'scrub',
  usage: '[--views]  [--url http://127.0.0.1:7070] [--key <key of an operator>]',
  about:
    'compares every record with the signed head, and with --views also every row of calls, tool_executions and cases with the log; exit code 1 if anything is damaged',
  async run(args, env) {
    try {
      const { values, positionals } = parseArgs({ args: [...args], allowPositionals: true, options });
      if (positionals.length > 0) return wrong(`unknown argument ${positionals[0]}`);
      return outcomeOf(await ended(await apiOf(values, env), values.views));
    } catch (cause) {
      if (cause instanceof Refused) return { code: 1, lines: [cause.message] };
      if (cause instanceof TypeError && 'code' in cause) return wrong(cause.message);
      throw cause;
    }
  },
};
