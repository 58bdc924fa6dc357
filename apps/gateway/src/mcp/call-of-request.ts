import { type CallRequest, callContext, callRequest, Refusal } from '@countersign/calls';
import { z } from 'zod';
import { parseBody } from '../requests/body-issues.js';
import { META, OCCURRENCE_ARGUMENT } from './meta-keys.js';

/** The identity of calls that the configuration of a client gives in headers: `Countersign-Case`, `Countersign-Run`. */
export interface CallHeaders {
  case_id: string | undefined;
  run_id: string | undefined;
}

/** The parameters of `tools/call`. */
export interface ToolCallParams {
  name: string;
  arguments?: Record<string, unknown> | undefined;
  _meta?: Record<string, unknown> | undefined;
}

/** `_meta["dev.countersign/call"]`: everything that the body of `POST /v1/calls` has besides the tool and its inputs. */
const givenCall = callRequest.omit({ tool: true, inputs: true }).extend({ idempotency_key: z.string().optional() });

const shortForms = z.object({
  [META.case_id]: callRequest.shape.case_id,
  [META.run_id]: callContext.shape.run_id,
  [META.seq]: callContext.shape.seq,
});

export interface IdentifiedCall {
  request: CallRequest;
  idempotency_key: string | undefined;
}

/** Removes `countersign_occurrence`, which is no input of the tool. */
function withoutOccurrence(given: Record<string, unknown>): { inputs: Record<string, unknown>; occurrence: unknown } {
  const { [OCCURRENCE_ARGUMENT]: occurrence, ...inputs } = given;
  return { inputs, occurrence };
}

const defined = <T extends object>(members: T): T =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as T;

/**
 * The request of a `tools/call`, with the identity that `_meta` gives, else the headers. The id of the JSON-RPC request is no part of it:
 * clients count from 1 in each session.
 */
export function callOfRequest(params: ToolCallParams, headers: CallHeaders, takes_occurrence: boolean): IdentifiedCall | Refusal {
  const meta = params._meta ?? {};
  const given = parseBody(givenCall, meta[META.call] ?? {});
  if (given instanceof Refusal) return given;
  const short = parseBody(shortForms, meta);
  if (short instanceof Refusal) return short;
  const { idempotency_key, context, ...rest } = given;
  const all = params.arguments ?? {};
  const { inputs, occurrence } = takes_occurrence ? withoutOccurrence(all) : { inputs: all, occurrence: undefined };
  const run_id = short[META.run_id] ?? context?.run_id ?? headers.run_id;
  const merged = defined({ ...context, run_id, seq: short[META.seq] ?? context?.seq });
  const request = parseBody(
    callRequest,
    defined({
      ...rest,
      tool: params.name,
      inputs,
      case_id: short[META.case_id] ?? rest.case_id ?? headers.case_id,
      occurrence: occurrence ?? rest.occurrence,
      context: Object.keys(merged).length > 0 ? merged : undefined,
    }),
  );
  return request instanceof Refusal ? request : { request, idempotency_key };
}
