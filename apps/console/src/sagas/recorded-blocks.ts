import type { Block, SagaWithSteps } from './saga.js';
import { stepName } from './saga.js';

/** What a saga did so far as a sequence, for one whose definition cannot be read: steps and waits in the order in which they began. */
export function recordedBlocks({ steps, waits }: Pick<SagaWithSteps, 'steps' | 'waits'>): Block {
  const begun = [
    ...steps.map(({ step_id, requested_at, tool, version }) => ({
      name: stepName(step_id),
      at: requested_at ?? '',
      block: { kind: 'step', name: stepName(step_id), use: { tool: tool ?? 'no call', version: version ?? '', inputs: {} } } as Block,
    })),
    ...waits
      .filter(({ wait }) => wait !== 'call_approval' && wait !== 'manual')
      .map(({ step_id, opened_at, wait, question, event }) => ({
        name: stepName(step_id),
        at: opened_at,
        block: {
          kind: 'wait',
          name: stepName(step_id),
          wait,
          subject: question ?? event ?? '',
          timeout_ms: 1,
          on_timeout: 'fail',
        } as Block,
      })),
  ];
  const first = new Map<string, Block>();
  for (const { name, block } of begun.sort((a, b) => a.at.localeCompare(b.at))) if (!first.has(name)) first.set(name, block);
  return { kind: 'sequence', blocks: [...first.values()] };
}
