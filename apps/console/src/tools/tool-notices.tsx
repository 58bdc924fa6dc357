import { InertText } from '../elements/inert.js';
import { Notice } from '../elements/notice.js';
import { Link } from '../navigation/link.js';
import { pathTo } from '../navigation/match.js';
import type { Tool, ToolVersion } from './tool-version.js';

/** What somebody must know before calling it: deprecation, a changed contract, an open circuit, a missing evaluation. */
export function ToolNotices({ tool, version }: { tool: Tool; version: ToolVersion }) {
  const { release, circuit, lifecycle } = version;
  return (
    <>
      {lifecycle === 'deprecated' && <Deprecated version={version} />}
      {lifecycle === 'blocked' && (
        <Notice tone="bad" title="This version is blocked: calls of it are denied.">
          <Successor use_instead={release.use_instead} />
        </Notice>
      )}
      {release.drift !== 'ok' && (
        <Notice tone="bad" title="The contract differs from the accepted one: it does not run.">
          <InertText text={release.drift} look="block" /> Look at the difference, then accept it under Lifecycle.
        </Notice>
      )}
      {lifecycle === 'candidate' && (
        <Notice tone="busy" title="This version is not promoted: calls do not use it.">
          {release.gate_reason && <InertText text={release.gate_reason} />}
        </Notice>
      )}
      {circuit !== 'closed' && (
        <Notice
          tone="bad"
          title={
            circuit === 'open' ? 'The circuit is open: calls are refused for a while.' : 'The circuit is half open: one call is tried.'
          }
        >
          It failed too often. See Trust.
        </Notice>
      )}
      {tool.refused_registrations.length > 0 && (
        <Notice
          tone="warn"
          title={`${tool.refused_registrations.length} registration${tool.refused_registrations.length === 1 ? ' was' : 's were'} refused.`}
        >
          The contract changed more than its version number says. See Versions.
        </Notice>
      )}
    </>
  );
}

function Deprecated({ version: { release } }: { version: ToolVersion }) {
  return (
    <Notice tone="warn" title="This version is deprecated.">
      {release.sunset_at && `From ${release.sunset_at.slice(0, 10)} on it is blocked. `}
      <Successor use_instead={release.use_instead} />
      {release.deprecation?.reason && <InertText text={release.deprecation.reason} look="block" characters_max={300} />}
    </Notice>
  );
}

/** `name@version` as a link. */
function Successor({ use_instead }: { use_instead: string | null }) {
  if (use_instead === null) return <>No successor is named. </>;
  const [name = '', version = ''] = use_instead.split('@');
  return (
    <>
      Use{' '}
      <Link href={`${pathTo('/tools/:name', { name })}?version=${encodeURIComponent(version)}`}>
        <InertText text={use_instead} characters_max={200} mono />
      </Link>{' '}
      instead.{' '}
    </>
  );
}
