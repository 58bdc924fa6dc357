import { parseArgs } from 'node:util';
import type { Command, Outcome } from '../command.js';
import { type Api, apiOf, Refused } from '../operator-api.js';

const options = {
  url: { type: 'string' },
  key: { type: 'string' },
  reason: { type: 'string' },
  all: { type: 'boolean', default: false },
} as const;

interface Damage {
  damage_id: string;
  kind: string;
  found_by: string;
  found_at: string;
  topic: string | null;
  partition: number | null;
  tenant_id: string | null;
  reason: string;
}

/** `may_open`: trees that may continue as a new generation if the log still does not continue them. */
interface Accepted {
  accepted: string[];
  may_open: { topic: string; partition: number; generation: number; base_offset: number; frozen_size: number }[];
}

const openedLine = ({ topic, partition, generation, base_offset, frozen_size }: Accepted['may_open'][number]): string =>
  `${topic}/${partition}: unless you restored it, its tree stays frozen at ${frozen_size} signed records and continues as ` +
  `${topic}/${partition}#${generation} from offset ${base_offset}; witnesses stop until their operators accept this`;

const wrong = (line: string): Outcome => ({ code: 2, lines: [line, `usage: npm run countersign -- accept-damage ${acceptDamage.usage}`] });

const lineOf = ({ damage_id, kind, found_by, found_at, topic, partition, tenant_id, reason }: Damage): string => {
  const place = [topic === null ? '' : `${topic}${partition === null ? '' : `/${partition}`}`, tenant_id ?? ''].filter(
    (part) => part !== '',
  );
  return `${damage_id}  ${kind}  ${place.join(' ') || 'everywhere'}  ${reason} (found by ${found_by}, ${found_at})`;
};

async function openDamages(api: Api): Promise<Damage[]> {
  return (await api.ask<{ items: Damage[] }>('GET', '/v1/damages?limit=500')).items;
}

async function list(api: Api): Promise<Outcome> {
  const items = await openDamages(api);
  if (items.length === 0) return { code: 0, lines: ['there is no open damage'] };
  return { code: 0, lines: [...items.map(lineOf), 'restore the log first; then run this command with damage ids or --all, and --reason'] };
}

async function accept(api: Api, damage_ids: readonly string[], reason: string): Promise<Outcome> {
  const { accepted, may_open } = await api.ask<Accepted>('POST', '/v1/damages/accept', { damage_ids, reason });
  return {
    code: 0,
    lines: [
      `accepted ${accepted.length} damages: whatever still differs from what was signed is found again, except lost records, which stay unproven`,
      ...may_open.map(openedLine),
    ],
  };
}

/** `countersign accept-damage`: lists damage of the record, and records that an operator accepts it. */
export const acceptDamage: Command = {
  name: 'accept-damage',
  usage: '[<damage_id>... | --all] [--reason <what you found and restored>]  [--url http://127.0.0.1:7070] [--key <key of an operator>]',
  about:
    'lists the places where the log differs from what was signed, or accepts them, after you restored or gave them up, so that writes continue',
  async run(args, env) {
    try {
      const { values, positionals } = parseArgs({ args: [...args], allowPositionals: true, options });
      const api = await apiOf(values, env);
      if (positionals.length === 0 && !values.all) return await list(api);
      if (positionals.length > 0 && values.all) return wrong('give damage ids or --all, not both');
      if (!values.reason?.trim()) return wrong('--reason is missing: it is recorded on the log');
      const ids = values.all ? (await openDamages(api)).map(({ damage_id }) => damage_id) : positionals;
      if (ids.length === 0) return { code: 0, lines: ['there is no open damage'] };
      return await accept(api, ids, values.reason);
    } catch (cause) {
      if (cause instanceof Refused) return { code: 1, lines: [cause.message] };
      if (cause instanceof TypeError && 'code' in cause) return wrong(cause.message);
      throw cause;
    }
  },
};
