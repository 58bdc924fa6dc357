import type { CallEnvelope } from '@countersign/client/wire';
import { InertText } from '../elements/inert.js';
import { JsonTree } from '../elements/json-tree.js';
import { Panel } from '../elements/screen.js';
import { StatusBadge } from '../elements/status-badge.js';
import { Link } from '../navigation/link.js';
import { pathTo } from '../navigation/match.js';

/** How the call ended, or where it waits. */
export function CallOutcome({ envelope }: { envelope: CallEnvelope }) {
  const { call_id, status, error, output, deduplicated, approval } = envelope;
  return (
    <Panel title="The call">
      <p class="row">
        <StatusBadge status={status} />
        <Link href={pathTo('/calls/:id', { id: call_id })}>Open the call</Link>
        {status === 'pending_approval' && approval && (
          <Link href={pathTo('/approvals/:id', { id: approval.approval_id })}>Open its approval</Link>
        )}
      </p>
      {deduplicated && (
        <p class="soft">The same effect was asked for before: this is the answer of the first call, and nothing ran again.</p>
      )}
      {error && (
        <p>
          <code>{error.code}</code> <InertText text={error.message} characters_max={600} />
        </p>
      )}
      {output !== null && output !== undefined && <JsonTree value={output} open_levels={2} />}
    </Panel>
  );
}
