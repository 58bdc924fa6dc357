import {
  type AnswerSink,
  type CallAnswer,
  type Caller,
  CompensationSubmitter,
  type EffectToUndo,
  effectOfCall,
  Refusal,
} from '@countersign/calls';
import type { CallState } from '@countersign/domain';
import { Injectable } from '@nestjs/common';
import type { UndoneItem } from './undo.schemas.js';
import { reasonOfRefusal } from './undo-preview.service.js';
import { notUndone, undoneBy } from './undone-items.js';

/** An undo request, with the total wait time. */
export interface UndoCommand {
  caller: Caller;
  preview_digest: string;
  reason: string | undefined;
  wait_ms: number;
  traceparent: string | undefined;
}

type Settled = { kind: 'answered'; answer: CallAnswer } | { kind: 'refused'; refusal: Refusal } | { kind: 'unreadable'; call_id: string };

/** Makes the call that undoes one effect. */
@Injectable()
export class UndoRuns {
  constructor(private readonly compensations: CompensationSubmitter) {}

  async run(command: UndoCommand, state: CallState): Promise<UndoneItem> {
    const undone = effectOfCall(state, 'own');
    if (undone instanceof Refusal) return notUndone(state.call_id, reasonOfRefusal(undone), undone.detail);
    return shown(state.call_id, await this.submit(command, undone));
  }

  private submit({ caller, reason, preview_digest, traceparent, wait_ms }: UndoCommand, undone: EffectToUndo): Promise<Settled> {
    return new Promise((resolve, reject) => {
      const sink: AnswerSink = {
        answered: (answer) => resolve({ kind: 'answered', answer }),
        refused: (refusal) => resolve({ kind: 'refused', refusal }),
        unreadable: (call_id) => resolve({ kind: 'unreadable', call_id }),
      };
      const by = { caller, idempotency_key: undefined, traceparent, wait_ms, span_name: 'undo', warns_of_deprecation: false };
      this.compensations.submit(undone, { reason, request_id: preview_digest }, by, sink).catch(reject);
    });
  }
}

function shown(call_id: string, settled: Settled): UndoneItem {
  if (settled.kind === 'refused') return notUndone(call_id, reasonOfRefusal(settled.refusal), settled.refusal.detail);
  if (settled.kind === 'unreadable') return { ...notUndone(call_id, 'answer_unreadable', null), undo_call_id: settled.call_id };
  return undoneBy(call_id, settled.answer.state);
}
