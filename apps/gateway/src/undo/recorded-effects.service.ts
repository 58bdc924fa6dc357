import { RecordedCalls, Refusal, viewsBehind } from '@countersign/calls';
import type { ClaimedResources } from '@countersign/contracts';
import { type CallState, statusOf } from '@countersign/domain';
import { claimedResources, laterEffects, rowsOfKeys, type Store } from '@countersign/store';
import { Injectable } from '@nestjs/common';

/** A call whose effect may be undone, with the later effects on the same resources. */
export interface RecordedEffect {
  state: CallState;
  /** Null if it named no resource. */
  resources: ClaimedResources | null;
  /** Calls with later effects that are in place or in progress. */
  later: readonly CallState[];
}

/** Reads recorded effects: calls from the views, resources and later effects from the arbiter's rows. */
@Injectable()
export class RecordedEffects {
  private readonly store: Store;

  constructor(private readonly calls: RecordedCalls) {
    this.store = calls.views.store;
  }

  /** Refuses if the views do not show a later effect yet. */
  async of(state: CallState): Promise<RecordedEffect | Refusal> {
    const key = state.call?.idempotency_key;
    const rows = key === undefined ? [] : await rowsOfKeys(this.store, [key]);
    const row = rows.find(({ call_uuid }) => state.call_id.endsWith(call_uuid));
    if (key === undefined || !row || row.resources === null) return { state, resources: null, later: [] };
    const resources = claimedResources(row.resources);
    const { tenant_id } = state;
    const ids = await laterEffects(this.store, { tenant_id, key, resources, ended_at_s: row.ended_at_s ?? 0 });
    const later = await this.standing(tenant_id, ids);
    return later instanceof Refusal ? later : { state, resources, later };
  }

  /** Calls whose effect is still in place: an undo and the effect that it undid cancel each other out. */
  private async standing(tenant_id: string, call_ids: readonly string[]): Promise<CallState[] | Refusal> {
    const found: CallState[] = [];
    for (const call_id of call_ids) {
      const state = await this.calls.find(tenant_id, call_id);
      if (state instanceof Refusal) return viewsBehind();
      if (!state.call?.compensates && statusOf(state) !== 'compensated') found.push(state);
    }
    return found;
  }
}
