import { defineTool, type RunContext, ToolError } from '@countersign/tool-kit';
import { z } from 'zod';

const NAMES = Array.from({ length: 25 }, (_, n) => `probe_secret_${n}`);
const encodings = ['plain', 'base64', 'url', 'json', 'hex'] as const;
const ways = ['return', 'throw', 'refuse', 'print', 'log', 'progress', 'attach', 'split', 'keys', 'bytes', 'large', 'safe'] as const;

const encoders: Readonly<Record<(typeof encodings)[number], (text: string) => string>> = {
  plain: (text) => text,
  base64: (text) => Buffer.from(text).toString('base64'),
  url: (text) => encodeURIComponent(text),
  json: (text) => JSON.stringify(text),
  hex: (text) => Buffer.from(text).toString('hex'),
};

const input = z.strictObject({ how: z.enum(ways), encoding: z.enum(encodings).default('plain') });

async function tell(how: (typeof ways)[number], texts: readonly string[], ctx: RunContext): Promise<unknown> {
  const all = texts.join(' ');
  switch (how) {
    case 'throw':
      throw new Error(`could not log in with ${all.slice(0, 1500)}`);
    case 'refuse':
      throw new ToolError('PROVIDER_ERROR', `${texts[0]} was refused`, { details: { sent: texts }, effect: 'none' });
    case 'print':
      process.stdout.write(`printed ${all}\n`);
      process.stderr.write(Buffer.from(`printed ${all}\n`));
      return 'printed';
    case 'log':
      ctx.log(`logged ${texts[0]}`, { texts });
      return 'logged';
    case 'progress':
      ctx.progress(0.5, `half way with ${all.slice(0, 1500)}`);
      return 'told';
    case 'attach':
      return ctx.attach({ kind: 'blob', content_type: 'text/plain', data: all });
    case 'split':
      return texts.map((text) => ({ b: text.slice(text.length / 2), a: text.slice(0, text.length / 2) }));
    case 'keys':
      return Object.fromEntries(texts.map((text) => [text, 1]));
    case 'bytes':
      return texts.map((text) => [...Buffer.from(text)]);
    case 'large':
      return { fill: 'x'.repeat(300_000), all: `${all} `.repeat(50) };
    case 'return':
      return texts;
    case 'safe':
      return texts.map((text) => text.length);
  }
}

/** Gives its secrets away in the asked way: what the masking is tested with. */
export const probeSecret = defineTool({
  name: 'probe_secret',
  version: '1.0.0',
  title: 'Give secrets away',
  description: 'For tests: asks for 25 secrets and gives them away as asked, so that tests can see that nothing of them gets through.',
  category: 'probe',
  effect_class: 'read_internal',
  auth_requirements: NAMES,
  input,
  output: z.looseObject({ told: z.unknown() }),
  run: async ({ how, encoding }, ctx) => {
    const secrets = await Promise.all(NAMES.map((name) => ctx.secrets.get(name)));
    return { told: await tell(how, secrets.map(encoders[encoding]), ctx) };
  },
});
