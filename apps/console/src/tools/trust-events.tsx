import { Button } from '../elements/button.js';
import { InertText } from '../elements/inert.js';
import { Panel } from '../elements/screen.js';
import { StatusBadge } from '../elements/status-badge.js';
import { useInfinite } from '../gateway/use-infinite.js';

/** The runs behind the score, newest first. */
export function TrustEvents({ tool, version }: { tool: string; version: string }) {
  const { items, has_more, more, is_loading_more } = useInfinite({
    kind: 'tool',
    key: ['trust-events', tool, version],
    also: ['call'],
    read: (api, cursor, signal) =>
      api.GET('/v1/tools/{name}/trust/events', {
        params: { path: { name: tool }, query: { version, limit: 20, ...(cursor ? { cursor } : {}) } },
        signal,
      }),
  });
  return (
    <Panel title="Runs behind the score">
      {items?.length === 0 && <p class="soft">None yet.</p>}
      <ul class="stack-tight">
        {(items ?? []).map((event) => (
          <li key={event.position} class="row">
            <StatusBadge status={event.succeeded ? 'succeeded' : 'failed'} />
            <InertText text={event.principal} characters_max={80} />
            <span class="faint">{marksOf(event)}</span>
          </li>
        ))}
      </ul>
      {has_more && (
        <div>
          <Button is_busy={is_loading_more} onClick={more}>
            Show more
          </Button>
        </div>
      )}
    </Panel>
  );
}

function marksOf({ verified, valid, timely, sound }: { verified: boolean; valid: boolean; timely: boolean; sound: boolean }): string {
  const marks = [
    verified ? 'verified' : 'not verified',
    ...(valid ? [] : ['output not valid']),
    ...(timely ? [] : ['late']),
    ...(sound ? [] : ['not plausible']),
  ];
  return marks.join(', ');
}
