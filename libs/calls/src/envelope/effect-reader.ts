import { isInfrastructureFault, isReadOnly } from '@countersign/contracts';
import type { CallState } from '@countersign/domain';
import { readStanding, type Sql } from '@countersign/store';
import type { EffectStanding } from './deduplication.js';

const UNKNOWN: EffectStanding = { effect_now: 'unknown', superseded_by: null };

/**
 * True if an answer to a POST must show the current state of the effect and its record does not. A call that joined an unfinished call is
 * excluded: it saw the effect end just now.
 */
export function needsEffect({ end }: CallState, repeat: boolean): boolean {
  if (repeat) return true;
  const { because, effect_now } = end?.deduplication ?? {};
  return because !== undefined && because !== 'live_key' && effect_now === null;
}

/** Reads whether the effect of one ended write is still in place. Lists and streams skip this: it costs one query per line. */
export class EffectReader {
  constructor(private readonly sql: Sql) {}

  /** Undefined if nothing needs to be read: no write, no effect, not ended, or the record already has it. */
  async of(state: CallState): Promise<EffectStanding | undefined> {
    const { call, end, doubt } = state;
    if (!call || isReadOnly(call.effect_class)) return undefined;
    if (!end) return doubt ? UNKNOWN : undefined;
    if (end.outcome.effect === 'none' || end.deduplication?.effect_now) return undefined;
    if (end.outcome.effect === 'unknown') return UNKNOWN;
    return this.read(call.idempotency_key, Math.max(1, state.attempt));
  }

  private async read(key: string, attempt: number): Promise<EffectStanding> {
    try {
      const [found] = await readStanding(this.sql, [{ key, attempt }]);
      if (!found || found.stands === null) return UNKNOWN;
      return { effect_now: found.stands ? 'stands' : 'superseded', superseded_by: found.superseded_by };
    } catch (cause) {
      if (isInfrastructureFault(cause)) return UNKNOWN;
      throw cause;
    }
  }
}
