import type { JsonSchema } from '@countersign/contracts';
import type { SagaDefinition } from './definition.js';
import { rootOf, within } from './places.js';

/** The schemas of the answers of a definition's waits, by their names. */
export function sagaAnswersOf(definition: SagaDefinition): Record<string, JsonSchema> {
  const found: Record<string, JsonSchema> = {};
  for (const { block } of within(rootOf(definition)))
    if (block.kind === 'wait' && block.answer_schema !== undefined) found[block.name] = block.answer_schema;
  return found;
}

/** What the waits and manual steps of a definition ask, by their names: the question of an approval, the event, or the instructions. */
export function sagaQuestionsOf(definition: SagaDefinition): Record<string, string> {
  const found: Record<string, string> = {};
  for (const { block } of within(rootOf(definition))) {
    const text = block.kind === 'wait' ? block.subject : block.kind === 'step' ? block.manual : undefined;
    if (text !== undefined) found[(block as { name: string }).name] = text;
  }
  return found;
}
