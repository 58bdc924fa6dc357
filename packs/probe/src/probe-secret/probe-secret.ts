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

const answer = z.strictObject({
  said: z.string().optional(),
  texts: z.array(z.string()).optional(),
  halves: z.array(z.strictObject({ b: z.string(), a: z.string() })).optional(),
  keys: z.record(z.string(), z.int()).optional(),
  bytes: z.array(z.array(z.int())).optional(),
  lengths: z.array(z.int()).optional(),
});

async function tell(how: (typeof ways)[number], texts: readonly string[], ctx: RunContext): Promise<z.input<typeof answer>> {
  const all = texts.join(' ');
  switch (how) {
    case 'throw':
      throw new Error(`could not log in with ${all.slice(0, 1500)}`);
    case 'refuse':
      throw new ToolError('PROVIDER_ERROR', `${texts[0]} was refused`, { details: { sent: texts }, effect: 'none' });
    case 'print':
      process.stdout.write(`printed ${all}\n`);
      process.stderr.write(Buffer.from(`printed ${all}\n`));
      return { said: 'printed' };
    case 'log':
      ctx.log(`logged ${texts[0]}`, { texts });
      return { said: 'logged' };
    case 'progress':
      ctx.progress(0.5, `half way with ${all.slice(0, 1500)}`);
      return { said: 'told' };
    case 'attach':
      return { said: (await ctx.attach({ kind: 'blob', content_type: 'text/plain', data: all })).url };
    case 'split':
      return { halves: texts.map((text) => ({ b: text.slice(text.length / 2), a: text.slice(0, text.length / 2) })) };
    case 'keys':
      return { keys: Object.fromEntries(texts.map((text) => [text, 1])) };
    case 'bytes':
      return { bytes: texts.map((text) => [...Buffer.from(text)]) };
    case 'large':
      return { said: 'x'.repeat(300_000), texts: [`${all} `.repeat(50)] };
    case 'return':
      return { texts: [...texts] };
    case 'safe':
      return { lengths: texts.map((text) => text.length) };
  }
}

/** Leaks its secrets in the requested way, to test the masking. */
export const probeSecret = defineTool({
  name: 'probe_secret',
  version: '1.0.0',
  title: 'Give secrets away',
  description: 'For tests: asks for 25 secrets and gives them away as asked, so that tests can see that nothing of them gets through.',
  category: 'probe',
  effect_class: 'read_internal',
  auth_requirements: NAMES,
  input,
  output: answer,
  run: async ({ how, encoding }, ctx) => {
    const secrets = await Promise.all(NAMES.map((name) => ctx.secrets.get(name)));
    return tell(how, secrets.map(encoders[encoding]), ctx);
  },
});
