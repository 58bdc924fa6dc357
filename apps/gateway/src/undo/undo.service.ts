import { type Caller, RecordedCalls, Refusal, type Seen } from '@countersign/calls';
import { type CallState, unpackCall } from '@countersign/domain';
import { listCalls } from '@countersign/store';
import { Injectable } from '@nestjs/common';
import { CasesService } from '../cases/cases.service.js';
import { CALLS_MAX, type UndoAnswer, type UndoPreview } from './undo.schemas.js';
import { UndoPreviews } from './undo-preview.service.js';
import { type UndoCommand, UndoRuns } from './undo-runs.service.js';

/** Undoes calls as previewed: one undo call for each, newest effect first. */
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

  /** `single`: refuses with the reason of the call if it cannot be undone. */
  async undo(command: UndoCommand, states: readonly CallState[], single: boolean): Promise<UndoAnswer | Refusal> {
    const [only] = states;
    const fault = single && only ? this.previews.faultOf(only) : undefined;
    if (fault) return fault;
    const planned = await this.previews.of(command.caller, states);
    if (planned instanceof Refusal) return planned;
    return refusalOf(planned.preview, command) ?? { items: await this.runs.run(command, planned) };
  }
}

const hasEffect = ({ end }: CallState): boolean => end !== null && end.outcome.effect !== 'none' && end.original_call_id === null;

function refusalOf(preview: UndoPreview, { preview_digest }: UndoCommand): Refusal | undefined {
  if (preview.preview_digest !== preview_digest)
    return new Refusal('conflict', 'the undo would differ from the preview: request a new preview', {
      reason: 'undo_preview_changed',
      preview_digest: preview.preview_digest,
    });
  const later_effects = preview.items.flatMap(({ undoable, changed_since }) =>
    undoable ? changed_since.filter((one) => !one.selected) : [],
  );
  if (later_effects.length > 0)
    return new Refusal('conflict', 'later effects on the same resources are not part of the undo', {
      reason: 'later_effects',
      later_effects,
    });
  if (!preview.items.some(({ undoable }) => undoable))
    return new Refusal('not-undoable', 'no call of the selection can be undone', { reason: 'nothing_to_undo' });
  return undefined;
}
