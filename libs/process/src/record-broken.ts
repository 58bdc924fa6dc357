import { nextHlc, uuidv7 } from '@countersign/contracts';
import type { AppDeps } from './app-deps.js';
import { securityRecord } from './security-record.js';

/** The tenant whose people run the installation. */
const INSTALLATION = 'default';

/** Puts on `security-event` that the record is not what its checkpoints signed. */
export async function recordBroken(
  { log, codec, clock }: Pick<AppDeps, 'log' | 'codec' | 'clock'>,
  reason: string,
  tenant_id = INSTALLATION,
): Promise<void> {
  const now_ms = clock.now_ms();
  const event_id = uuidv7(now_ms);
  const meta = {
    event_id,
    tenant_id,
    call_id: null,
    attempt: 1,
    causation_id: null,
    correlation_id: event_id,
    hlc: nextHlc(now_ms, 0),
    partition: 0,
  };
  const event = { meta, kind: 'record_broken', detail: reason, principal: null, recorded_at_ms: now_ms };
  await log.append([securityRecord(codec, null, event)]);
}
