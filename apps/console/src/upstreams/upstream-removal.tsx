import { useState } from 'preact/hooks';
import { RemovalDialog } from '../forms/removal-dialog.js';
import { useChange } from '../forms/use-change.js';
import type { Upstream } from './upstream.js';

interface UpstreamRemovalProps {
  upstream: Upstream;
  onCancel: () => void;
  onRemoved: () => void;
}

/** Removes an upstream, after saying what follows. */
export function UpstreamRemoval({ upstream: shown, onCancel, onRemoved }: UpstreamRemovalProps) {
  const [{ name, etag, tools }] = useState(shown);
  const removed = useChange((api, _input: undefined) =>
    api.DELETE('/v1/upstreams/{name}', { params: { path: { name }, header: { 'If-Match': etag } } }),
  );
  const runnable = tools.filter(({ state }) => state !== 'suspended' && state !== 'gone').length;
  return (
    <RemovalDialog
      title={`Remove the upstream ${name}?`}
      action="Remove"
      removing={removed}
      done="The upstream is removed"
      onCancel={onCancel}
      onRemoved={onRemoved}
    >
      <ul class="upstream-consequences">
        <li>
          {runnable === 0
            ? 'None of its tools runs now.'
            : `${runnable} ${runnable === 1 ? 'tool' : 'tools'} no longer run: calls of them are denied.`}
        </li>
        <li>
          Calls that it has begun keep their records. One whose answer was lost can no longer be looked up there: a person must find out.
        </li>
        <li>If it is added again, its tools are suspended until an operator classifies them.</li>
      </ul>
    </RemovalDialog>
  );
}
