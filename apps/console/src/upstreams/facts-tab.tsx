import { Facts } from '../elements/facts.js';
import { InertText } from '../elements/inert.js';
import { duration } from '../elements/relative-time.js';
import { Panel } from '../elements/screen.js';
import { RelativeTime } from '../elements/time-ago.js';
import { Link } from '../navigation/link.js';
import { Revisions } from './revisions.js';
import type { Upstream } from './upstream.js';

/** Where an upstream is, with which credentials, and what was set before. */
export function FactsTab({ upstream }: { upstream: Upstream }) {
  const { name, url, command, credentials, timeout_ms, revision, changed_at, changed_by, server, protocol_version } = upstream;
  return (
    <div class="stack">
      <Panel title="Settings">
        <Facts
          facts={[
            ['Address', url !== null && <InertText text={url} mono />],
            ['Command', command !== null && <InertText text={command} mono />],
            [
              'Credentials',
              credentials.length === 0 ? (
                'none'
              ) : (
                <ul>
                  {credentials.map(({ secret, env }) => (
                    <li key={secret}>
                      <Link href={`/settings?tab=secrets&item=${encodeURIComponent(secret)}`}>
                        <InertText text={secret} mono />
                      </Link>{' '}
                      <span class="soft">{env === null ? 'as bearer token' : `in ${env}`}</span>
                    </li>
                  ))}
                </ul>
              ),
            ],
            ['Timeout', duration(timeout_ms)],
            ['Server', server !== null && <InertText text={`${server}${protocol_version === null ? '' : `, MCP ${protocol_version}`}`} />],
            ['Revision', String(revision)],
            [
              'Changed',
              <span key="changed">
                <RelativeTime at={changed_at} /> by <InertText text={changed_by.id} />
              </span>,
            ],
          ]}
        />
      </Panel>
      <Panel title="Revisions">
        <Revisions name={name} />
      </Panel>
    </div>
  );
}
