import { expect, test } from 'vitest';
import { SagaStream, type ShownSaga } from './saga-stream.js';
import type { SagaRecord } from './saga-watches.js';
import type { SagaWithSteps } from './sagas.schemas.js';

const shown = (offset: number): ShownSaga => ({ offset, partition: 0, saga: { ended_at: null } as SagaWithSteps });

test('a record that arrives during the first look is shown, and the older look is not shown after it', async () => {
  const written: unknown[] = [];
  const out = { write: (text: string | Promise<string>) => written.push(text), end: () => undefined, close: () => undefined };
  const stream = new SagaStream(
    out,
    async () => shown(7),
    () => 'saga',
  );
  await stream.begin(async () => {
    stream.take({ offset: 7 } as SagaRecord);
    await new Promise((resolve) => setImmediate(resolve));
    return shown(4);
  });
  expect(written).toEqual(['id: 7\nevent: status\ndata: saga\n\n']);
  stream.leave();
});
