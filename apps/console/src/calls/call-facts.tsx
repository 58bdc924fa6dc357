import { CopyButton } from '../elements/copy-button.js';
import { Facts } from '../elements/facts.js';
import { InertText } from '../elements/inert.js';
import { Panel } from '../elements/screen.js';
import { RelativeTime } from '../elements/time-ago.js';
import { Link } from '../navigation/link.js';
import type { Call } from './call.js';

/** Where a call belongs, who made it, and the names by which other systems know it. */
export function CallFacts({ call }: { call: Call }) {
  const { provenance, verified, principal, on_behalf_of, saga } = call;
  const metadata = Object.entries(call.metadata);
  return (
    <Panel title="Details">
      <Facts
        facts={[
          ['Tool', call.name && <To path="/tools" id={call.name} text={`${call.name} ${call.version ?? ''}`} />],
          ['Case', call.case_id && <To path="/cases" id={call.case_id} />],
          [
            'Run',
            call.run_id && (
              <Link href={`/calls?run_id=${encodeURIComponent(call.run_id)}`}>{<InertText text={call.run_id} characters_max={60} />}</Link>
            ),
          ],
          ['Saga', saga && <To path="/sagas" id={saga.saga_id} text={`${saga.saga_id}, step ${saga.step_id}`} />],
          ['Caller', principal && <InertText text={`${principal.kind} ${principal.id}`} characters_max={80} />],
          ['On behalf of', on_behalf_of && <InertText text={`${on_behalf_of.kind} ${on_behalf_of.id}`} characters_max={80} />],
          ['Purpose', call.purpose && <InertText text={call.purpose} look="block" />],
          ['Requested', call.requested_at && <RelativeTime at={call.requested_at} />],
          ['Cost', call.cost],
          ['Attempt', call.attempts > 1 ? String(call.attempts) : null],
          ['Retries', call.retry_count > 0 ? String(call.retry_count) : null],
          [
            'Verified',
            verified === null ? null : verified ? 'yes, by a read-back of the tool' : 'no: the read-back did not find the effect',
          ],
          ['Cached', call.cached ? 'yes: the tool did not run' : null],
          ['Source', provenance && <InertText text={provenance.source} characters_max={120} />],
          ['As of', provenance?.freshness && <RelativeTime at={provenance.freshness} />],
          ['Confidence', provenance?.confidence],
          ['External id', call.external_id && <Id text={call.external_id} />],
          ['Idempotency key', call.idempotency_key && <Id text={call.idempotency_key} />],
          ['Trace', <Id key="trace" text={call.trace_id} />],
          ...metadata.map(([name, value]) => [name.slice(0, 60), <InertText key={name} text={value} characters_max={120} />] as const),
        ]}
      />
    </Panel>
  );
}

const To = ({ path, id, text = id }: { path: string; id: string; text?: string }) => (
  <Link href={`${path}/${encodeURIComponent(id)}`}>
    <InertText text={text} characters_max={80} />
  </Link>
);

const Id = ({ text }: { text: string }) => (
  <span class="fact-id">
    <InertText text={text} characters_max={80} mono />
    <CopyButton text={text} label="Copy" is_icon />
  </span>
);
