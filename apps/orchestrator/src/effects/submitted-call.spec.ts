import { Refusal, type RefusalKind, type StateSink } from '@countersign/calls';
import { InfrastructureFault } from '@countersign/contracts';
import { expect, test } from 'vitest';
import { submittedCall } from './submitted-call.js';

const refusedAs = (kind: RefusalKind) => submittedCall((sink: StateSink) => sink.refused(new Refusal(kind, 'why')));

test.each(['no-ruling-yet', 'unavailable', 'too-many-in-flight', 'record-damaged'] as const)(
  'a call that is refused as %s may still run: the request is sent again, and its step does not end',
  async (kind) => {
    await expect(refusedAs(kind)).rejects.toBeInstanceOf(InfrastructureFault);
  },
);

test.each(['forbidden', 'unknown-tool', 'invalid-inputs'] as const)('a request that is refused as %s has no call', async (kind) => {
  expect(await refusedAs(kind)).toMatchObject({ kind });
});
