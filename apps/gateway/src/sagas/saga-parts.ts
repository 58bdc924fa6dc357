import type { AuthorityResolver, RecordWriter } from '@countersign/calls';
import { BatchDecoder } from '@countersign/event-log/transport/batch-decoder';
import type { AppDeps } from '@countersign/process';
import { SagaRequests } from './saga-requests.js';
import { SagaWatches } from './saga-watches.js';

/** What sagas need of the process. `watches`: started before the first request, closed after the last one. */
export interface SagaParts {
  authority: AuthorityResolver;
  requests: SagaRequests;
  watches: SagaWatches;
}

export const sagaParts = ({ log, codec, clock, schemas }: AppDeps, writer: RecordWriter, authority: AuthorityResolver): SagaParts => ({
  authority,
  requests: new SagaRequests(writer, log, codec, clock),
  watches: new SagaWatches(log, new BatchDecoder(codec, schemas)),
});
