import type { operations } from '@countersign/client/generated/api';
import { itemsOf } from '../forms/comma-list.js';
import { inUnits, millisecondsOf } from './exact-duration.js';
import { hasField, type Limit } from './limit-words.js';

/** A limit as its form has it: texts, whatever they are. */
export interface LimitForm {
  limit_id: string;
  kind: string;
  scope: string;
  subjects: string;
  tools: string;
  max: string;
  window: string;
  window_unit: string;
  amount: string;
  per: string;
  allowed: string;
  side_effects: string;
  on_exceeded: string;
  wait: string;
  wait_unit: string;
}

export const EMPTY_LIMIT: LimitForm = {
  ...{ limit_id: '', kind: 'rate', scope: 'agent', subjects: '', tools: '', max: '', window: '1', window_unit: 'h', amount: '', per: '' },
  ...{ allowed: '', side_effects: 'reads', on_exceeded: 'deny', wait: '', wait_unit: 'min' },
};

/** The fields of the request by JSON Pointer: errors are shown at them. */
export const LIMIT_FIELDS = [
  ...['/limit_id', '/kind', '/scope', '/subjects', '/tools', '/max', '/window_ms', '/amount', '/per', '/allowed'],
  ...['/side_effects', '/on_exceeded', '/defer_timeout_ms'],
];

export function limitFormOf(limit: Limit): LimitForm {
  const window = limit.window_ms === null ? { count: '', unit: 'h' } : inUnits(limit.window_ms);
  const wait = limit.defer_timeout_ms === null ? { count: '', unit: 'min' } : inUnits(limit.defer_timeout_ms);
  return {
    ...{ limit_id: limit.limit_id, kind: limit.kind, scope: limit.scope, on_exceeded: limit.on_exceeded },
    subjects: limit.subjects.join(', '),
    tools: limit.tools.join(', '),
    max: limit.max === null ? '' : String(limit.max),
    ...{ window: String(window.count), window_unit: window.unit, wait: String(wait.count), wait_unit: wait.unit },
    amount: limit.amount ?? '',
    per: limit.per ?? '',
    allowed: limit.allowed.join(', '),
    side_effects: limit.side_effects ?? 'reads',
  };
}

export type LimitRequest = operations['limits_set']['requestBody']['content']['application/json'];

/** The request of a form: the fields of its kind alone. A number that is none is left out, and the gateway says that it is missing. */
export function limitRequest(form: LimitForm): LimitRequest {
  const { kind, scope, on_exceeded } = form;
  const max = form.max.trim() === '' ? Number.NaN : Number(form.max);
  const window_ms = millisecondsOf(form.window, form.window_unit);
  const defer_timeout_ms = on_exceeded === 'defer' ? millisecondsOf(form.wait, form.wait_unit) : undefined;
  const of = (field: Parameters<typeof hasField>[1], value: unknown) =>
    hasField(kind, field) && value !== undefined ? { [field]: value } : {};
  return {
    ...{ kind, scope, on_exceeded, subjects: itemsOf(form.subjects), tools: itemsOf(form.tools) },
    ...of('max', Number.isFinite(max) ? max : undefined),
    ...of('window_ms', window_ms),
    ...of('amount', form.amount.trim() || undefined),
    ...of('per', form.per.trim() || undefined),
    ...of('allowed', hasField(kind, 'allowed') ? itemsOf(form.allowed) : undefined),
    ...of('side_effects', form.side_effects),
    ...(defer_timeout_ms !== undefined && { defer_timeout_ms }),
  } as LimitRequest;
}
