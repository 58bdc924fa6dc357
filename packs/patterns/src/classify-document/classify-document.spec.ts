import { testContext } from '@countersign/tool-kit/test-context';
import { expect, test } from 'vitest';
import { classifyDocument } from './classify-document.js';

test.each([
  ['that is none of the bands', 'Dear grandma, the weather is fine.'],
  ['that is two of them', 'Invoice. Delivery note.'],
  ['that is empty', ''],
])('a text %s is an exception and never a default', async (_title, content) => {
  const run = classifyDocument.run({ subject: { source_id: 'd', media_type: 'text/plain', content } } as never, testContext());
  await expect(run).rejects.toMatchObject({
    code: 'VALIDATION_ERROR',
    more: { class: 'semantic', effect: 'none', details: { exception: 'classify.out_of_distribution' } },
  });
});
