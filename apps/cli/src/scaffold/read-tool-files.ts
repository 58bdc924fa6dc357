import { camel, kebab, words } from './names.js';

/** Files of a tool that reads, by path in `src`: the tool, and its tests. */
export function readToolFiles(tool: string): Record<string, string> {
  const [name, file] = [camel(tool), kebab(tool)];
  return {
    [`${file}/${file}.ts`]: `import { defineTool } from '@countersign/tool-kit';
import { z } from 'zod';

export const ${name} = defineTool({
  name: '${tool}',
  version: '1.0.0',
  title: '${words(tool)}',
  // For models: when to use the tool, and what it gives.
  description: 'Answers the given text in upper case. Replace this by what your tool does.',
  category: 'examples',
  // pure: reads and changes nothing. A tool that reads a system declares read_internal, or read_external for one outside.
  effect_class: 'pure',
  input: z.strictObject({ text: z.string().min(1).max(1000) }),
  output: z.strictObject({ text: z.string() }),
  run: async ({ text }) => ({ text: text.toUpperCase() }),
});
`,
    [`${file}/${file}.spec.ts`]: `import { contractTests } from '@countersign/tool-kit/contract-tests';
import { testContext } from '@countersign/tool-kit/test-context';
import { expect, test } from 'vitest';
import { ${name} } from './${file}.ts';

// What every tool has to keep: its schemas, its effect class, cancellation, repeatability.
contractTests(${name}, {
  golden: [{ title: 'a word', input: { text: 'hello' }, output: { text: 'HELLO' } }],
  // It acts on no system. A tool that reads one gives what is in it, so that the checks see that nothing changes.
  counterpart: { snapshot: async () => null },
});

test('answers in upper case', async () => {
  expect(await ${name}.run({ text: 'grüße' } as never, testContext())).toEqual({ text: 'GRÜSSE' });
});
`,
  };
}
