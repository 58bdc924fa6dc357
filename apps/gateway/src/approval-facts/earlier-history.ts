import { seenBy } from '@countersign/calls';
import type { ToolCall, ToolContract } from '@countersign/contracts';
import { type CallState, unpackCall } from '@countersign/domain';
import type { EarlierEffect } from '@countersign/store';
import { AMOUNT_DAYS, amountAt } from './amounts.js';
import { type Recipient, recipientsOf } from './recipients.js';
import type { EarlierCalls } from './unusual.js';

const DAY_MS = 86_400_000;

interface Compared {
  call: ToolCall;
  requested_at_ms: number;
  inputs: unknown;
}

/** The earlier calls whose inputs this reader may see; their inputs as they ran. */
function compared(rows: readonly EarlierEffect[], clearances: readonly string[]): Compared[] {
  return rows.flatMap(({ state: packed, requested_at_ms }) => {
    const state = seenBy(unpackCall(packed), { clearances });
    return state.call && !state.withheld ? [{ call: state.call, requested_at_ms, inputs: runningInputs(state) }] : [];
  });
}

function runningInputs({ call }: Pick<CallState, 'call'>): unknown {
  return call ? (JSON.parse(call.mapped?.inputs_json ?? call.inputs_json) as unknown) : undefined;
}

export interface HistoryQuestion {
  /** The newest calls of the tool with an effect, newest first. */
  rows: readonly EarlierEffect[];
  /** How many rows were requested. */
  limit: number;
  clearances: readonly string[];
  call: Pick<ToolCall, 'version'>;
  contract: ToolContract;
  /** JSON Pointer to the amount; undefined: none is declared. */
  amount: string | undefined;
  now_ms: number;
}

/** What the earlier calls of a tool show: how often it ran and with which versions, for whom, and with which amounts. */
export interface History {
  earlier: EarlierCalls;
  recipients: readonly (readonly Recipient[])[];
  amounts: readonly number[];
  /** All calls with an amount in the last days are among `amounts`. */
  amounts_complete: boolean;
}

/** Compares with earlier calls of one tool. Pure. */
export function historyOf(question: HistoryQuestion): History {
  const { rows, limit, clearances, call, contract, amount, now_ms } = question;
  const calls = compared(rows, clearances);
  const from_ms = now_ms - AMOUNT_DAYS * DAY_MS;
  const recent = amount === undefined ? [] : calls.filter(({ requested_at_ms }) => requested_at_ms >= from_ms);
  const complete = rows.length < limit;
  const oldest_ms = rows.at(-1)?.requested_at_ms ?? null;
  return {
    earlier: {
      count: calls.length,
      complete: complete && calls.length === rows.length,
      since_ms: calls.at(-1)?.requested_at_ms ?? null,
      versions: [...new Set(calls.map((one) => one.call.version))],
      contract_digest: calls.find((one) => one.call.version === call.version)?.call.contract_digest ?? null,
    },
    recipients: calls.map(({ inputs }) => recipientsOf(contract, inputs)),
    amounts: recent.flatMap(({ inputs }) => amountAt(inputs, amount as string) ?? []),
    amounts_complete: (complete || (oldest_ms !== null && oldest_ms < from_ms)) && calls.length === rows.length,
  };
}
