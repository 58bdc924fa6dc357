import { type Caller, RecordedCalls, Refusal, type Seen } from '@countersign/calls';
import { type CallState, lateEffectOf, unpackCall } from '@countersign/domain';
import { listCalls } from '@countersign/store';
import { Injectable } from '@nestjs/common';
import { CasesService } from '../cases/cases.service.js';
import { CALLS_MAX, type UndoAnswer, type UndoPreview } from './undo.schemas.js';
import { UndoPreviews } from './undo-preview.service.js';
import { undoRefusal } from './undo-refusal.js';
import { type UndoCommand, UndoRuns } from './undo-runs.service.js';

/** Finds the calls of an undo, previews it, and undoes a single call as previewed. */
@Injectable()
export class UndoService {
  constructor(
    private readonly calls: RecordedCalls,
    private readonly cases: CasesService,
    private readonly previews: UndoPreviews,
    private readonly runs: UndoRuns,
  ) {}

  /** The selected calls; a refusal if one does not exist. */
  async named({ tenant_id }: Caller, call_ids: readonly string[], seen?: Seen): Promise<CallState[] | Refusal> {
    const states: CallState[] = [];
    for (const call_id of new Set(call_ids)) {
      const state = await this.calls.find(tenant_id, call_id, seen);
      if (state instanceof Refusal) return state;
      states.push(state);
    }
    return states;
  }

  /** The calls of a case whose effects are still in place. */
  async ofCase({ tenant_id }: Caller, case_id: string, seen: Seen): Promise<CallState[] | Refusal> {
    const found = await this.cases.read(tenant_id, case_id, seen);
    if (found instanceof Refusal) return found;
    const { items } = await listCalls(this.calls.views.store, { tenant_id, case_id: found.answer.case_id, limit: CALLS_MAX + 1 });
    const states = items.map((row) => unpackCall(row.state)).filter((state) => !state.call?.compensates && hasEffect(state));
    if (items.length > CALLS_MAX)
      return new Refusal('too-much', `the case has more than ${CALLS_MAX} calls: undo a selection of them`, { max: CALLS_MAX });
    return states;
  }

  async preview(caller: Caller, states: readonly CallState[]): Promise<UndoPreview | Refusal> {
    const planned = await this.previews.of(caller, states);
    return planned instanceof Refusal ? planned : planned.preview;
  }

  /** Undoes one call. Refuses with its reason if it cannot be undone. */
  async undoCall(command: UndoCommand, state: CallState): Promise<UndoAnswer | Refusal> {
    const fault = this.previews.faultOf(state);
    if (fault) return fault;
    const planned = await this.previews.of(command.caller, [state]);
    if (planned instanceof Refusal) return planned;
    return undoRefusal(planned.preview, command.preview_digest) ?? { saga_id: null, items: [await this.runs.run(command, state)] };
  }
}

const hasEffect = (state: CallState): boolean =>
  lateEffectOf(state) !== undefined || (state.end !== null && state.end.outcome.effect !== 'none' && state.end.original_call_id === null);
