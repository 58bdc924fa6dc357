import { defineTool } from '@countersign/tool-kit';
import { z } from 'zod';

const text = z.string().max(400);
const texts = z.array(text).max(2_000);
const openInput = z.strictObject({ input: text, why: text });

const step = z.strictObject({
  step_id: text.describe('name of the step, and the index of the item in each map around it'),
  level: z.int().min(0).describe('fallback level; 0: the first tool'),
  tool: text,
  version: text,
  contract_digest: text,
  inputs: z.record(z.string(), z.json()).describe('inputs that are known before the saga runs'),
  open_inputs: z.array(openInput).max(1_000).describe('inputs that are not known yet'),
  only_if: z.array(z.string().max(4_096)).max(100).describe('conditions under which it runs'),
  asks: z.boolean().describe('true: the definition requires an approval of this step'),
  is_irreversible: z.boolean(),
  undo: text.nullable().describe('tool that undoes the step if a later one fails; null: none'),
  covered_by: texts.describe('rules that this approval satisfies for the step'),
  asks_because: z.string().max(20_000).nullable().describe('why the step still asks by itself; null: it does not'),
});

/** The subject of an approval of a whole saga. It does nothing: policy requires the approval, and binds the steps to it. */
export const showSagaPlan = defineTool({
  name: 'show_saga_plan',
  version: '1.0.0',
  title: 'Plan of a saga',
  description:
    'Shows what a saga will do before its first step, so that people can approve it as a whole. The orchestrator calls it where a policy allows one approval for a saga; a call of anybody else is denied.',
  category: 'saga',
  effect_class: 'pure',
  input: z.strictObject({
    definition: text,
    version: text,
    definition_digest: text,
    markings: texts.describe('markings of the tools of all steps'),
    steps: z.array(step).min(1).max(500),
    unplanned: z
      .array(z.strictObject({ step_id: text, why: text }))
      .max(500)
      .describe('steps that ask by themselves, because they cannot be planned'),
  }),
  output: z.strictObject({ definition_digest: z.string() }),
  async run({ definition_digest }) {
    return { definition_digest };
  },
});
