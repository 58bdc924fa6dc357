import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import type { Command, Outcome } from '../command.js';
import { type Api, apiOf, Refused } from '../operator-api.js';
import { progressLine, showProgress } from './progress-line.js';

const POLL_MS = 500;
const options = { url: { type: 'string' }, key: { type: 'string' }, 'no-wait': { type: 'boolean', default: false } } as const;

interface Building {
  build: string;
  asked_offset: number | null;
  records: number;
  records_total: number;
  started_at: string | null;
}
interface Report {
  name: string;
  version: number;
  tables: string[];
  live: { version: number; build: string; asked_offset: number | null } | null;
  building: Building | null;
}

const wrong = (line: string): Outcome => ({ code: 2, lines: [line, `usage: npm run countersign -- projections ${projections.usage}`] });

async function list(api: Api): Promise<Outcome> {
  const { items } = await api.ask<{ items: Report[] }>('GET', '/v1/projections?limit=500');
  const width = Math.max(...items.map(({ name }) => name.length));
  const line = ({ name, version, live, building, tables }: Report) =>
    `${name.padEnd(width)}  ${live ? `live ${live.build}` : 'not live yet'}${live && live.version < version ? ` (older than ${version})` : ''}` +
    `${building ? `, building ${building.build}: ${progressLine(building.records, building.records_total, null)}` : ''}  ${tables.join(' ')}`;
  return { code: 0, lines: items.map(line) };
}

async function digest(api: Api, names: readonly string[]): Promise<Outcome> {
  const { items } = await api.ask<{ items: Report[] }>('GET', '/v1/projections?limit=500');
  const lines: string[] = [];
  for (const name of names.length > 0 ? names : items.map((item) => item.name)) {
    const { tables } = await api.ask<{ tables: { table: string; rows: number; digest: string }[] }>(
      'GET',
      `/v1/projections/${name}/digest`,
    );
    for (const { table, rows, digest } of tables) lines.push(`${digest}  ${table} (${rows} rows)`);
  }
  return { code: 0, lines };
}

/** Requests a rebuild and shows its progress until readers see the new rows. */
async function rebuild(api: Api, name: string, wait: boolean): Promise<Outcome> {
  const { asked_offset } = await api.ask<{ asked_offset: number }>('POST', `/v1/projections/${encodeURIComponent(name)}/rebuild`);
  if (!wait) return { code: 0, lines: [`rebuild of ${name} requested (offset ${asked_offset} of configuration-changed)`] };
  const since = performance.now();
  for (let shown = ''; ; await sleep(POLL_MS)) {
    const { live, building } = await api.ask<Report>('GET', `/v1/projections/${encodeURIComponent(name)}`);
    if (live && (live.asked_offset ?? -1) >= asked_offset) {
      showProgress('', shown);
      return { code: 0, lines: [`${name} is live as ${live.build} after ${((performance.now() - since) / 1000).toFixed(1)} s`] };
    }
    const started = building?.started_at ? Date.now() - Date.parse(building.started_at) : null;
    const line = building ? progressLine(building.records, building.records_total, started) : 'waiting for the projector';
    showProgress(line, shown);
    shown = line;
  }
}

/** `countersign projections`: lists the projections of the log, and rebuilds them beside the live rows, through the running server. */
export const projections: Command = {
  name: 'projections',
  usage: 'list | rebuild <name> [--no-wait] | digest [<name>...]  [--url http://127.0.0.1:7070] [--key <api key>]',
  about: 'lists the projections, rebuilds one next to its live rows, or prints digests of its rows',
  async run(args, env) {
    try {
      const { values, positionals } = parseArgs({ args: [...args], allowPositionals: true, options });
      const [verb, ...names] = positionals;
      const api = await apiOf(values, env);
      if (verb === 'list' && names.length === 0) return await list(api);
      if (verb === 'digest') return await digest(api, names);
      if (verb === 'rebuild' && names.length === 1) return await rebuild(api, names[0] as string, !values['no-wait']);
      return wrong('expected list, rebuild <name> or digest [<name>...]');
    } catch (cause) {
      if (cause instanceof Refused) return { code: 1, lines: [cause.message] };
      if (cause instanceof TypeError && 'code' in cause) return wrong(cause.message);
      throw cause;
    }
  },
};
