import { type Caller, type Calls, Refusal, type Seen, viewsBehind } from '@countersign/calls';
import { CALL_ID } from '@countersign/calls/testing/samples';
import { InfrastructureFault } from '@countersign/contracts';
import type { Store } from '@countersign/store';
import { expect, test } from 'vitest';
import type { ProducedCancellation } from './produced-commands.js';
import { ProducerCancellations } from './producer-cancellations.js';

const NOT_FOUND = new Refusal('not-found', 'no call has this id', { reason: 'call_not_found' });
const cancellation = { record: { timestamp_ms: 5 }, target: { name_digest: 'd' }, reason: undefined } as unknown as ProducedCancellation;

/** Cancels a request that is noted as a call, which no view has yet. `found`: what a wait for the newest requests finds. */
function cancelled(found: Refusal | undefined) {
  const seen: Seen['positions'][] = [];
  const cancel = async ({ seen: { positions } }: { seen: Seen }) => {
    seen.push(positions);
    return positions.length === 0 ? NOT_FOUND : (found ?? {});
  };
  const store = { query: async () => [{ call_id: CALL_ID, requested_at_ms: null }] } as unknown as Store;
  const requests = { log: { head: async () => 7, first: async () => 0 }, lanes: ['shared', 'fast'] };
  const cancellations = new ProducerCancellations(store, { cancel } as unknown as Calls, requests);
  return { seen, refusal: cancellations.cancel(cancellation, { tenant_id: 'acme' } as Caller, 'p') };
}

test('the cancel of a recorded call waits for views that have its request', async () => {
  const { seen, refusal } = cancelled(undefined);
  expect(await refusal).toBeUndefined();
  expect(seen.at(-1)).toEqual(['tool-call-requested', 'tool-call-requested.fast'].map((topic) => ({ topic, partition: 2, offset: 6 })));
});

test('it is no refusal while the views are behind', async () => {
  await expect(cancelled(viewsBehind()).refusal).rejects.toThrow(InfrastructureFault);
});

test('it is one if views that have all requests lack the call', async () => {
  expect(await cancelled(NOT_FOUND).refusal).toBe(NOT_FOUND);
});
