import { testContext } from '@countersign/tool-kit/test-context';
import { expect, test } from 'vitest';
import { probeFail } from './probe-fail.js';

test.each(['none', 'unknown'] as const)('fails with effect %s and the asked code', async (effect) => {
  const failing = probeFail.run({ effect, code: 'RATE_LIMIT' } as never, testContext());
  await expect(failing).rejects.toMatchObject({ countersign_tool_error: true, code: 'RATE_LIMIT', more: { effect } });
});

test('an unlisted code is refused before the tool could fail', async () => {
  await expect(probeFail.run({ effect: 'none', code: 'NOPE' } as never, testContext())).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
});
