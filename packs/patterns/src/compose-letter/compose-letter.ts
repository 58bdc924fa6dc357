import { defineComposition } from '@countersign/tool-kit/patterns/composition';
import { z } from 'zod';

const line = z.string().min(1).max(500);
const parts = z.strictObject({
  recipient: z.strictObject({ name: line, address: z.array(line).max(6).default([]) }),
  reference: line,
  subject: line,
  paragraphs: z.array(z.string().min(1).max(5_000)).min(1).max(20),
  signatory: line,
});
type Parts = z.output<typeof parts>;

const templates = ['formal@1', 'reminder@1'] as const;
const openings: Readonly<Record<(typeof templates)[number], (parts: Parts) => string>> = {
  'formal@1': ({ recipient }) => `Dear ${recipient.name},`,
  'reminder@1': ({ recipient, reference }) =>
    `Dear ${recipient.name},\n\nwe come back to our letter ${reference}, which is still unanswered.`,
};

/** Assembles a letter from its parts. The result is a draft: it is neither sent nor stored. */
export const composeLetter = defineComposition({
  name: 'compose_letter',
  version: '1.0.0',
  title: 'Compose a letter',
  description:
    'Assembles a letter from recipient, subject and paragraphs by a template. The answer is a draft; to send it, stage an action.',
  category: 'data',
  capabilities: ['composition', 'correspondence'],
  parts,
  templates,
  draft: z.strictObject({ kind: z.literal('letter'), subject: z.string(), body: z.string() }),
  compose: async (given, template) => {
    const head = [given.recipient.name, ...given.recipient.address, '', `Reference: ${given.reference}`].join('\n');
    const body = [head, openings[template](given), ...given.paragraphs, `Yours sincerely\n${given.signatory}`].join('\n\n');
    return { kind: 'letter' as const, subject: given.subject, body };
  },
});
