import { parseTopic } from '@countersign/contracts';

/** Topics whose records a consumer of the gateway can handle again: it has no effect that a second time would repeat. */
const REPEATABLE: Readonly<Record<string, ReadonlySet<string>>> = {
  // a notification is claimed by its id for each channel: what was sent is not sent again
  'gateway-notices': new Set(['policy-decided', 'approval-granted', 'compensation']),
  // an answer is read from the views and states what the call came to; producers get answers at least once
  'gateway-answers': new Set(['policy-decided', 'approval-granted', 'tool-executed']),
};

const SEND_AGAIN = 'A call may have an effect, so its record is never handled twice.';

/** Why the records of the other consumers are not handled again, and what to do. */
const REFUSED: Readonly<Record<string, string>> = {
  policy: `policy has refused the request or the vote of this record. ${SEND_AGAIN} Send the call again as a new call, or vote again.`,
  executor: `the executor has ended the call of this record, or had fired it before. ${SEND_AGAIN} Read the call: resolve it if it is in doubt, then send it again as a new call.`,
  orchestrator: 'the state of a saga depends on the order of its records. Read the saga; if the request had no effect, send it again.',
  projector:
    'views are folded in the order of the log. Rebuild the projections (POST /v1/projections/{name}/rebuild): that includes this record.',
  'gateway-producers': 'the bytes of a refused record are not kept. The producer has to write a corrected request under a new key.',
};

/** Why a record of this topic is not handed to its consumer again; undefined if it may be. */
export function requeueRefusal(consumer: string, source_topic: string): string | undefined {
  const topics = Object.hasOwn(REPEATABLE, consumer) ? REPEATABLE[consumer] : undefined;
  if (topics?.has(parseTopic(source_topic).topic)) return undefined;
  const known = Object.hasOwn(REFUSED, consumer) ? REFUSED[consumer] : undefined;
  return known ?? `this version does not know how the consumer ${consumer.slice(0, 100)} handles ${source_topic.slice(0, 100)} again.`;
}
