import {
  type AnswerSink,
  type CallAnswer,
  type Caller,
  CompensationSubmitter,
  type EffectToUndo,
  effectOfCall,
  Refusal,
} from '@countersign/calls';
import { type CallState, statusOf } from '@countersign/domain';
import { Injectable } from '@nestjs/common';
import { meets, type RecordedEffect } from './recorded-effects.service.js';
import type { UndoneItem, UndoPreview } from './undo.schemas.js';
import { type PlannedUndo, reasonOfRefusal } from './undo-preview.service.js';

/** An undo request, with the total wait time. */
export interface UndoCommand {
  caller: Caller;
  preview_digest: string;
  reason: string | undefined;
  wait_ms: number;
  traceparent: string | undefined;
}

type Settled = { kind: 'answered'; answer: CallAnswer } | { kind: 'refused'; refusal: Refusal } | { kind: 'unreadable'; call_id: string };

/** Creates the undo calls: one for each effect, newest first. */
@Injectable()
export class UndoRuns {
  constructor(private readonly compensations: CompensationSubmitter) {}

  /** Undoes one call after another. Skips a call that shares a resource with a newer effect that is not undone. */
  async run(command: UndoCommand, { preview, effects }: PlannedUndo): Promise<UndoneItem[]> {
    const items: UndoneItem[] = [];
    const left: RecordedEffect[] = [];
    const until_ms = performance.now() + command.wait_ms;
    for (const [at, effect] of effects.entries()) {
      const shown = preview.items[at] as UndoPreview['items'][number];
      const item = !shown.undoable
        ? notUndone(shown.call_id, shown.reason, shown.detail)
        : left.some((newer) => meets(newer, effect))
          ? notUndone(shown.call_id, 'newer_effect_stands', 'a newer effect on the same resources is not undone yet')
          : await this.one(command, effect.state, Math.max(0, until_ms - performance.now()));
      if (!item.undone && shown.undoable) left.push(effect);
      items.push(item);
    }
    return items;
  }

  private async one(command: UndoCommand, state: CallState, wait_ms: number): Promise<UndoneItem> {
    const undone = effectOfCall(state, 'own');
    if (undone instanceof Refusal) return notUndone(state.call_id, reasonOfRefusal(undone), undone.detail);
    return shown(state.call_id, await this.submit(command, undone, wait_ms));
  }

  private submit({ caller, reason, preview_digest, traceparent }: UndoCommand, undone: EffectToUndo, wait_ms: number): Promise<Settled> {
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

const notUndone = (call_id: string, reason: string | null, detail: string | null): UndoneItem => ({
  call_id,
  undo_call_id: null,
  status: null,
  undone: false,
  confirmed: null,
  reason,
  detail,
});

function shown(call_id: string, settled: Settled): UndoneItem {
  if (settled.kind === 'refused') return notUndone(call_id, reasonOfRefusal(settled.refusal), settled.refusal.detail);
  if (settled.kind === 'unreadable') return { ...notUndone(call_id, 'answer_unreadable', null), undo_call_id: settled.call_id };
  const { state } = settled.answer;
  const status = statusOf(state);
  const { error = null, extras = null } = state.end?.outcome ?? {};
  const why = error ?? state.ruling?.reason ?? null;
  const undone = status === 'succeeded';
  return {
    call_id,
    undo_call_id: state.call_id,
    status,
    undone,
    confirmed: undone ? (extras?.verified ?? null) : null,
    reason: undone ? null : status === 'pending_approval' ? 'waits_for_approval' : (why?.code.toLowerCase() ?? status),
    detail: undone ? null : (why?.message ?? null),
  };
}
