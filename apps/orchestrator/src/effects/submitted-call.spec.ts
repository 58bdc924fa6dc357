import { type AnswerSink, Refusal, type RefusalKind } from '@countersign/calls';
import { InfrastructureFault } from '@countersign/contracts';
import { expect, test } from 'vitest';
import { submittedCall } from './submitted-call.js';

const refusedAs = (kind: RefusalKind) => submittedCall((sink: AnswerSink) => sink.refused(new Refusal(kind, 'why')));

test.each(['no-ruling-yet', 'unavailable', 'too-many-in-flight', 'record-damaged'] as const)(
  'a call that is refused as %s may still run: the request is sent again, and its step does not end',
  async (kind) => {
    await expect(refusedAs(kind)).rejects.toBeInstanceOf(InfrastructureFault);
  },
);

test('a call whose answer cannot be read is sent again', async () => {
  const unreadable = submittedCall((sink) => sink.unreadable('c', new Error('no view')));
  await expect(unreadable).rejects.toThrow('the answer of call c cannot be read');
});

test.each(['forbidden', 'unknown-tool', 'invalid-inputs'] as const)('a request that is refused as %s has no call', async (kind) => {
  expect(await refusedAs(kind)).toMatchObject({ kind });
});
