import { defineTool } from '@countersign/tool-kit';
import { z } from 'zod';

/** Returns marked data: only for callers with the scope, the clearance and the purpose. */
export const probeMarked = defineTool({
  name: 'probe_marked',
  version: '1.0.0',
  title: 'Read what is marked',
  description: 'For tests: gives back a text as personal data, to callers with the scope, the clearance and the purpose that it declares.',
  category: 'probe',
  effect_class: 'read_internal',
  markings: ['pii.medium'],
  scopes: ['tool.probe_marked.invoke'],
  purposes: ['underwriting.review', 'claims.adjustment'],
  input: z.strictObject({ text: z.string().max(1000) }),
  output: z.strictObject({ text: z.string() }),
  run: async ({ text }) => ({ text: `marked ${text}` }),
});
