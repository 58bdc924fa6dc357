import type { CallRequest } from '@countersign/calls';
import { Refusal } from '@countersign/calls';
import { sha256Hex } from '@countersign/contracts';
import { type ApiKey, REFERENCE_PREFIX } from '@countersign/domain';
import type { LogRecord } from '@countersign/event-log';
import type { Problem } from '../http/problem.js';
import { parseBody } from '../requests/body-issues.js';
import { claimsAnother } from './claimed-identity.js';
import { type ProducedCall, type ProducedCancel, producedRecord } from './producer-record.schemas.js';
import { RecordValues } from './record-values.js';

/** A request that a record asks for. */
export interface ProducedRequest {
  kind: 'request';
  record: LogRecord;
  request: CallRequest;
  idempotency_key: string | undefined;
  /** Digests of the names by which a cancel may refer to it. */
  names: string[];
}

/** A cancel that a record asks for: of a call, or of a request by the digest of its name. */
export interface ProducedCancellation {
  kind: 'cancel';
  record: LogRecord;
  target: { call_id: string } | { name_digest: string };
  reason: string | undefined;
}

/** A record that asks for nothing that can be done. */
export interface RejectedRecord {
  kind: 'rejected';
  record: LogRecord;
  problem: Problem;
}

export type ProducedCommand = ProducedRequest | ProducedCancellation | RejectedRecord;

/** The request id of a record without one. */
export const positionOf = ({ topic, partition, offset }: Pick<LogRecord, 'topic' | 'partition' | 'offset'>): string =>
  `${topic}/${partition}/${offset}`;

const KEY_MAX = 255;

/** The key of a record of a producer, for records about it. */
export const shortKeyOf = ({ key }: Pick<LogRecord, 'key'>): string | null => key?.slice(0, KEY_MAX) ?? null;

const referenceName = (external_id: string): string => `${REFERENCE_PREFIX}${external_id}`;

/** Reads what a record asks for. `value`: see RecordValues. */
export function commandOf(record: LogRecord, value: unknown, owner: ApiKey): ProducedCommand {
  const rejected = (problem: Problem): RejectedRecord => ({ kind: 'rejected', record, problem });
  const claims = claimsAnother(record, value, owner);
  if (claims) return rejected(claims);
  const body = parseBody(producedRecord, value);
  if (body instanceof Refusal) return rejected(body);
  return body.event_type === 'tool_call_requested' ? requestOf(record, body) : cancellationOf(record, body);
}

/** A record that is read again has the same request id, so it is the same call. */
function requestOf(record: LogRecord, { event_type: _type, idempotency_key, ...sent }: ProducedCall): ProducedRequest {
  const { external_id, context } = sent;
  const request_id = context?.request_id ?? (external_id === undefined ? positionOf(record) : undefined);
  const request = request_id === undefined ? sent : { ...sent, context: { ...context, request_id } };
  const names = [request_id ?? positionOf(record), ...(external_id === undefined ? [] : [referenceName(external_id)])];
  return { kind: 'request', record, request, idempotency_key, names: names.map(sha256Hex) };
}

function cancellationOf(record: LogRecord, { call_id, request_id, external_id, reason }: ProducedCancel): ProducedCancellation {
  const name = request_id ?? referenceName(external_id ?? '');
  return { kind: 'cancel', record, reason, target: call_id === undefined ? { name_digest: sha256Hex(name) } : { call_id } };
}

/** Reads records of one producer. */
export class ProducedCommands {
  constructor(private readonly values: RecordValues) {}

  /** @throws InfrastructureFault if the schema registry is unavailable */
  async read(record: LogRecord, owner: ApiKey): Promise<ProducedCommand> {
    const value = await this.values.read(record.value);
    return value instanceof Refusal ? { kind: 'rejected', record, problem: value as Problem } : commandOf(record, value, owner);
  }
}
