import { Refusal } from '@countersign/calls';
import type { CallState } from '@countersign/domain';
import { Injectable } from '@nestjs/common';
import type { SagaIdentity } from '../sagas/saga-identity.js';
import type { UndoAnswer, UndoneItem } from './undo.schemas.js';
import { UndoIdentities } from './undo-identities.service.js';
import { reasonOfRefusal, UndoPreviews } from './undo-preview.service.js';
import { UndoProgress } from './undo-progress.service.js';
import { undoRefusal } from './undo-refusal.js';
import type { UndoCommand } from './undo-runs.service.js';
import { UndoSagas } from './undo-sagas.service.js';
import { notUndone } from './undone-items.js';

/** Undoes several calls as previewed: a saga undoes the newest effect first, whatever happens to the request. */
@Injectable()
export class UndoSelections {
  constructor(
    private readonly identities: UndoIdentities,
    private readonly previews: UndoPreviews,
    private readonly sagas: UndoSagas,
    private readonly progress: UndoProgress,
  ) {}

  /** The request may be repeated: it joins the saga of the first one. */
  async undo(command: UndoCommand, states: readonly CallState[]): Promise<UndoAnswer | Refusal> {
    const { identity, exists } = await this.identities.of(command.caller, command.preview_digest);
    const refusal = exists ? undefined : await this.started(identity, command, states);
    if (refusal) return refusal;
    const { saga_id } = identity;
    const items = await this.progress.of(command.caller.tenant_id, saga_id, command.wait_ms);
    if (!items) return { saga_id, items: states.map((state) => this.faulty(state) ?? notUndone(state.call_id, 'undo_requested', null)) };
    const undone = new Set(items.map(({ call_id }) => call_id));
    const left = states.filter(({ call_id }) => !undone.has(call_id));
    return { saga_id, items: [...items, ...left.map((state) => this.left(state))] };
  }

  private async started(identity: SagaIdentity, command: UndoCommand, states: readonly CallState[]): Promise<Refusal | undefined> {
    const planned = await this.previews.of(command.caller, states);
    if (planned instanceof Refusal) return planned;
    return undoRefusal(planned.preview, command.preview_digest) ?? this.sagas.start(identity, command, planned);
  }

  /** A call of the selection that the saga does not undo. */
  private left(state: CallState): UndoneItem {
    return this.faulty(state) ?? notUndone(state.call_id, 'undo_denied', 'policy forbade its undo');
  }

  /** Undefined: the call can be undone. */
  private faulty(state: CallState): UndoneItem | undefined {
    const fault = this.previews.faultOf(state);
    return fault && notUndone(state.call_id, reasonOfRefusal(fault), fault.detail);
  }
}
