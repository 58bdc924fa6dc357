import { type RecordedCalls, Refusal } from '@countersign/calls';
import type { CallState } from '@countersign/domain';
import { expect, test } from 'vitest';
import type { SagaExchanges } from '../sagas/saga-exchanges.service.js';
import type { UndoIdentities } from './undo-identities.service.js';
import type { UndoPreviews } from './undo-preview.service.js';
import { UndoProgress } from './undo-progress.service.js';
import type { UndoCommand } from './undo-runs.service.js';
import type { UndoSagas } from './undo-sagas.service.js';
import { UndoSelections } from './undo-selections.service.js';

const command = { caller: { tenant_id: 'acme' }, preview_digest: 'd', reason: undefined, wait_ms: 0 } as UndoCommand;
const calls = ['undoable', 'late'].map((call_id) => ({ call_id }) as CallState);
const late = new Refusal('not-undoable', 'the time for an undo is over', { reason: 'undo_time_over' });

test('an undo whose saga the views do not have yet is requested, and denied for no call', async () => {
  const views = { current: async () => false, store: { query: async () => [] } };
  const progress = new UndoProgress({ views } as unknown as RecordedCalls, { ended: async () => undefined } as unknown as SagaExchanges);
  const identities = { of: async () => ({ identity: { saga_id: 'undo-1' }, exists: true }) } as unknown as UndoIdentities;
  const previews = { faultOf: ({ call_id }: CallState) => (call_id === 'late' ? late : undefined) } as UndoPreviews;
  const answer = await new UndoSelections(identities, previews, {} as UndoSagas, progress).undo(command, calls);
  expect(answer).toMatchObject({
    saga_id: 'undo-1',
    items: [
      { call_id: 'undoable', undone: false, reason: 'undo_requested', detail: null },
      { call_id: 'late', undone: false, reason: 'undo_time_over' },
    ],
  });
});
