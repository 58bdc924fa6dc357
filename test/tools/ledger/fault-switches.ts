import { setTimeout as sleep } from 'node:timers/promises';
import { ToolError } from '@countersign/tool-kit';
import type { LedgerSession } from './ledger-session.js';

export type LedgerAction = 'run' | 'reconcile' | 'verify' | 'compensate';
export type Moment = 'before' | 'after';

/** What a tool is asked to do. `key` is that of the effect: a compensation has the key of the run that it undoes. */
export interface LedgerRequest {
  tool: string;
  action: LedgerAction;
  key: string;
  inputs: object;
}

type Taken = {
  /** Null: it lets this run through. */
  fault: 'delay' | 'refuse' | 'lose' | 'crash' | null;
  delay_ms: number;
};

// Taken one by one and before it acts, so that a switch for one time hits one run, whatever crashes.
const TAKE = `UPDATE fault_switches SET seen = seen + 1 WHERE seen < skip + times AND id = (SELECT id FROM fault_switches
  WHERE tool = $1 AND action = $2 AND moment = $3 AND seen < skip + times AND $4::jsonb @> inputs ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED)
RETURNING CASE WHEN seen > skip THEN fault END AS fault, delay_ms`;

/** Acts as the switch for this request and moment says, if a test has set one. `lose` and `crash` leave the outcome open. */
export async function faultPoint(session: LedgerSession, { tool, action, inputs }: LedgerRequest, moment: Moment): Promise<void> {
  const taken = await session.row<Taken>(TAKE, [tool, action, moment, jsonbOf(inputs)]);
  if (!taken) return;
  switch (taken.fault) {
    case null:
      return;
    case 'delay':
      await sleep(taken.delay_ms, undefined, { signal: session.ctx.signal });
      return;
    case 'refuse':
      throw new ToolError('PROVIDER_ERROR', `${tool} is switched to refuse`, { effect: 'none' });
    case 'lose':
      throw new ToolError('NETWORK_ERROR', `${tool} is switched to lose its ${moment === 'before' ? 'request' : 'answer'}`);
    case 'crash':
      process.kill(process.pid, 'SIGKILL');
      await sleep(60_000);
  }
}

/** Postgres refuses the escapes of NUL and of lone surrogates. */
const jsonbOf = (inputs: object): string => JSON.stringify(inputs).replaceAll(/\\u(0000|d[89a-f][0-9a-f]{2})/gi, '?');
