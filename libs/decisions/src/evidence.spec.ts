import type { ApprovalEvidence, ToolContract } from '@countersign/contracts';
import { expect, test } from 'vitest';
import { evidenceOf } from './evidence.js';

const ruling = { rule: 'r', tier: 'tier_2_approval_required', config_offset: 1, trust_score: null } as Pick<
  ApprovalEvidence,
  'rule' | 'tier' | 'config_offset' | 'trust_score'
>;
const shown = (reversibility: ToolContract['reversibility'], has_compensate: boolean) =>
  evidenceOf({ name: 'delete_file', reversibility, has_compensate } as ToolContract, ruling);

test.each(['reversible', 'semantic', 'side_effects'] as const)(
  'of a %s effect that its tool can undo, approvers read who has it undone',
  (reversibility) => {
    const { undo, undo_tool } = shown(reversibility, true);
    expect(undo).toMatch(/^delete_file can .*\. An operator can undo it unless a later effect prevents that\.$/);
    expect(undo_tool).toBe('delete_file');
  },
);

test.each(['reversible', 'semantic', 'side_effects'] as const)(
  'of a %s effect that its tool cannot undo, they read that a person has to do it',
  (reversibility) => {
    const { undo, undo_tool } = shown(reversibility, false);
    expect(undo).toMatch(/^delete_file declares that .*\. Countersign does not do this automatically: a person must start it\.$/);
    expect(undo_tool).toBeNull();
  },
);

test('for an irreversible effect approvers read that it cannot be undone', () => {
  expect(shown('irreversible', false)).toMatchObject({ undo_tool: null, undo: 'it cannot be undone' });
});
