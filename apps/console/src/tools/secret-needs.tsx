import { InertText } from '../elements/inert.js';
import { StatusBadge } from '../elements/status-badge.js';
import { RelativeTime } from '../elements/time-ago.js';
import { useQuery } from '../gateway/use-query.js';
import { SCOPES, useSecrets } from './secrets.js';

const SHOWN = 30;

/** For each secret that a tool needs: which one the calls of this person use. */
export function SecretNeeds({ names }: { names: readonly string[] }) {
  return (
    <>
      <ul class="stack-tight">
        {names.slice(0, SHOWN).map((name) => (
          <SecretNeed key={name} name={name} />
        ))}
      </ul>
      {names.length > SHOWN && <p class="soft">And {names.length - SHOWN} more.</p>}
      <p class="field-hint">The narrowest counts: yours, then the workspace's, then that of the whole installation.</p>
    </>
  );
}

function SecretNeed({ name }: { name: string }) {
  const listed = useSecrets();
  const is_there = listed?.(name) !== undefined;
  const { data, problem, is_loading } = useQuery({
    kind: 'configuration',
    key: ['secret', name],
    enabled: is_there,
    read: (api, signal) => api.GET('/v1/secrets/{name}', { params: { path: { name } }, signal }),
  });
  return (
    <li class="row secret-need">
      <InertText text={name} characters_max={120} mono />
      {is_loading && <span class="faint">…</span>}
      {listed && !is_there && <StatusBadge status="missing" tone="bad" word="Missing: calls fail with AUTH_REQUIRED" />}
      {problem && <StatusBadge status="unknown" tone="bad" word={problem.title} />}
      {data && (
        <>
          <StatusBadge status="found" tone={data.expired ? 'bad' : 'good'} word={data.expired ? 'Expired' : SCOPES[data.scope]} />
          <span class="faint">
            version {data.version}, <RelativeTime at={data.changed_at} />
          </span>
        </>
      )}
      {data?.warning && <span class="soft">{data.warning}</span>}
    </li>
  );
}
