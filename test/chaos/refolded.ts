import { setTimeout as sleep } from 'node:timers/promises';
import type { Api } from '../journeys/api.js';

/** The projections from which agents and auditors read calls. */
const PROJECTIONS = ['call', 'case-history'];
const REBUILT_WITHIN_MS = 120_000;
/** Rounds: a record that was appended during the rebuild causes a difference without meaning. */
const ROUNDS_MAX = 3;

interface Digest {
  table: string;
  rows: number;
  digest: string;
}

async function fetched<T>(api: Api, method: string, route: string): Promise<T> {
  const { status, body } = await api.request<T>(method, `/v1/projections/${route}`);
  if (status >= 300) throw new Error(`${method} /v1/projections/${route} answered ${status}: ${JSON.stringify(body)}`);
  return body;
}

async function rebuilt(api: Api, name: string): Promise<void> {
  const { asked_offset } = await fetched<{ asked_offset: number }>(api, 'POST', `${name}/rebuild`);
  for (const end = performance.now() + REBUILT_WITHIN_MS; performance.now() < end; await sleep(100)) {
    const { live } = await fetched<{ live: { asked_offset: number | null } | null }>(api, 'GET', name);
    if ((live?.asked_offset ?? -1) >= asked_offset) return;
  }
  throw new Error(`${name} was not folded anew within ${REBUILT_WITHIN_MS} ms`);
}

/** I6: the rows written during the faults equal a fold of the log. Returns the tables that differ. */
export async function refolded(api: Api): Promise<string[]> {
  const faults: string[] = [];
  for (const name of PROJECTIONS) {
    let differ: string[] = [];
    for (let round = 0; round < ROUNDS_MAX; round++) {
      const before = (await fetched<{ tables: Digest[] }>(api, 'GET', `${name}/digest`)).tables;
      await rebuilt(api, name);
      const after = (await fetched<{ tables: Digest[] }>(api, 'GET', `${name}/digest`)).tables;
      const describe = ({ table, rows, digest }: Digest) => `${table} (${rows} rows, ${digest})`;
      const pairs = before.map((was) => [was, after.find(({ table }) => table === was.table) ?? was] as const);
      differ = pairs.filter(([was, is]) => was.digest !== is.digest).map(([was, is]) => `${describe(was)} is ${describe(is)}`);
      if (differ.length === 0) break;
    }
    faults.push(...differ.map((line) => `I6: folded anew, ${line}`));
  }
  return faults;
}
