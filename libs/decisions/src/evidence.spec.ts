import type { ApprovalEvidence, ToolContract } from '@countersign/contracts';
import { expect, test } from 'vitest';
import { evidenceOf } from './evidence.js';

const ruling = { rule: 'r', tier: 'tier_2_approval_required', config_offset: 1, trust_score: null } as Pick<
  ApprovalEvidence,
  'rule' | 'tier' | 'config_offset' | 'trust_score'
>;
const shown = (reversibility: ToolContract['reversibility'], has_compensate: boolean) =>
  evidenceOf({ name: 'delete_file', reversibility, has_compensate } as ToolContract, ruling);

test.each([
  ['reversible', true],
  ['reversible', false],
  ['semantic', true],
  ['semantic', false],
  ['side_effects', true],
  ['side_effects', false],
] as const)(
  'of a %s effect (compensates: %s) approvers read what the tool declares, and that a person has to do it',
  (reversibility, has_compensate) => {
    const { undo, undo_tool } = shown(reversibility, has_compensate);
    expect(undo).toMatch(/^delete_file declares that .*\. Countersign does not run this by itself: a person has to start it\.$/);
    expect(undo).not.toMatch(/is restored|compensates itself/);
    expect(undo_tool).toBe(has_compensate ? 'delete_file' : null);
  },
);

test('of an irreversible effect they read that nothing undoes it', () => {
  expect(shown('irreversible', false)).toMatchObject({ undo_tool: null, undo: 'nothing undoes it' });
});
