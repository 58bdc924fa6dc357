import { CopyButton } from '../elements/copy-button.js';
import { Facts } from '../elements/facts.js';
import { InertText } from '../elements/inert.js';
import { JsonTree } from '../elements/json-tree.js';
import { exactTime } from '../elements/relative-time.js';
import { useQuery } from '../gateway/use-query.js';
import type { Call } from './call.js';

/** The exact call, its key, and when it was sent: what a person searches for. */
export function LookFor({ call }: { call: Call }) {
  const cause = (call.error?.details as { cause?: { message?: unknown } } | null)?.cause?.message;
  const sent = call.started_at ?? call.requested_at;
  return (
    <section class="stack-tight">
      <h3>Look for this in the system of record</h3>
      <Facts
        facts={[
          ['Tool', <InertText key="tool" text={`${call.name ?? ''} ${call.version ?? ''}`} characters_max={120} />],
          ['Sent', sent && exactTime(Date.parse(sent))],
          ['Key', call.idempotency_key && <Key text={call.idempotency_key} />],
          ['Lost because', typeof cause === 'string' && <InertText text={cause} characters_max={300} />],
        ]}
      />
      <OwnCheck call={call} />
      <JsonTree value={call.mapped_input ?? call.inputs} open_levels={2} />
    </section>
  );
}

const Key = ({ text }: { text: string }) => (
  <span class="fact-id">
    <InertText text={text} characters_max={80} mono />
    <CopyButton text={text} label="Copy the key" is_icon />
  </span>
);

/** Whether the tool could have told by itself. */
function OwnCheck({ call: { name, version } }: { call: Call }) {
  const { data } = useQuery({
    kind: 'tool',
    id: name ?? '',
    enabled: name !== null,
    read: (api, signal) => api.GET('/v1/tools/{name}', { params: { path: { name: name ?? '' } }, signal }),
  });
  const has_check = data?.versions.find((item) => item.version === version)?.has_reconcile;
  if (has_check === undefined) return null;
  return (
    <p class="soft">
      {has_check
        ? 'The tool has a check of its own. It was asked, and could not tell.'
        : 'The tool has no check of its own, so only a person can tell.'}
    </p>
  );
}
