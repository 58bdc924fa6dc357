import { leafHashText, peekMeta } from '@countersign/contracts';
import type { LogRecord } from '@countersign/event-log';
import type { PolicyRig } from './policy-rig.js';

/** The hash by which later records name the first ruling on a call. */
export async function rulingHash(rig: Pick<PolicyRig, 'seen' | 'log'>, call_id: string): Promise<string> {
  const { meta } = await rig.seen(call_id, 'policy_decided');
  const records = await rig.log.read('policy-decided', meta.partition, 0, 10_000);
  return leafHashText(records.find(({ value }) => peekMeta(value)?.event_id === meta.event_id) as LogRecord);
}
