import '../elements/notice.css';
import { EffectTag } from '../effects/effect-tag.js';
import { Diff } from '../elements/diff.js';
import { InertText } from '../elements/inert.js';
import { Panel } from '../elements/screen.js';
import { type Column, Table } from '../elements/table.js';
import { RelativeTime } from '../elements/time-ago.js';
import { pathTo } from '../navigation/match.js';
import { useQueryState } from '../navigation/navigation.js';
import { optionText } from '../schema-form/option-text.js';
import { breakingChanges, contractOf } from './contract-changes.js';
import { LifecycleBadge, Trust } from './tool-marks.js';
import type { Tool, ToolVersion } from './tool-version.js';

const COLUMNS: readonly Column<ToolVersion>[] = [
  { id: 'version', title: 'Version', width: '120px', cell: ({ version }) => <InertText text={version} characters_max={40} mono /> },
  { id: 'state', title: 'State', cell: ({ lifecycle }) => <LifecycleBadge lifecycle={lifecycle} /> },
  {
    id: 'effect',
    title: 'Effect',
    width: '150px',
    is_wide_only: true,
    cell: ({ effect_class }) => <EffectTag effect_class={effect_class} />,
  },
  { id: 'runs', title: 'Runs', width: '80px', align: 'end', cell: ({ usage }) => (usage?.runs ?? 0).toLocaleString('en') },
  { id: 'trust', title: 'Trust', width: '110px', cell: ({ trust_score }) => <Trust score={trust_score} /> },
  {
    id: 'registered',
    title: 'Registered',
    is_wide_only: true,
    cell: ({ registered_at }) => (registered_at ? <RelativeTime at={registered_at} /> : '–'),
  },
];

/** All versions, what differs between two of them, and the registrations that were refused. */
export function VersionsPart({ tool, version }: { tool: Tool; version: ToolVersion }) {
  return (
    <div class="stack">
      <Table
        label="Versions"
        columns={COLUMNS}
        items={tool.versions}
        keyOf={(one) => one.version}
        hrefOf={(one) => `${pathTo('/tools/:name', { name: tool.name })}?tab=contract&version=${encodeURIComponent(one.version)}`}
      />
      {tool.versions.length > 1 && <Comparison tool={tool} version={version} />}
      {tool.refused_registrations.length > 0 && <RefusedRegistrations tool={tool} />}
    </div>
  );
}

function Comparison({ tool: { versions }, version }: { tool: Tool; version: ToolVersion }) {
  const [against, setAgainst] = useQueryState('against');
  const at = versions.indexOf(version);
  const other = versions.find((one) => one.version === against) ?? versions[at + 1] ?? versions[at - 1];
  if (!other) return null;
  // newest first: the one that stands later in the list is the older one
  const [before, after] = versions.indexOf(other) > at ? [other, version] : [version, other];
  const breaking = breakingChanges(before, after);
  const names = [`v${optionText(before.version)}`, `v${optionText(after.version)}`] as const;
  return (
    <Panel
      title={`What differs from ${names[0]} to ${names[1]}`}
      actions={
        <select
          class="input tool-version"
          aria-label="Compare with"
          value={other.version}
          onChange={(event) => setAgainst(event.currentTarget.value)}
        >
          {versions
            .filter((one) => one !== version)
            .slice(0, 200)
            .map((one) => (
              <option key={one.version} value={one.version}>
                {`with v${optionText(one.version)}`}
              </option>
            ))}
        </select>
      }
    >
      {breaking.length > 0 ? (
        <div class="notice-box tone-bad">
          <strong>{breaking.length === 1 ? 'One change may break callers' : `${breaking.length} changes may break callers`}</strong>
          <ul class="breaking">
            {breaking.map(({ pointer, what }) => (
              <li key={pointer + what}>
                <InertText text={pointer} characters_max={160} mono /> <InertText text={what} characters_max={160} />
              </li>
            ))}
          </ul>
        </div>
      ) : (
        <p class="soft">Nothing that callers rely on was taken away.</p>
      )}
      <Diff before={contractOf(before)} after={contractOf(after)} names={names} />
    </Panel>
  );
}

function RefusedRegistrations({ tool: { refused_registrations } }: { tool: Tool }) {
  return (
    <Panel title="Refused registrations">
      <p class="soft">A contract that changes more than its version number says is not taken in.</p>
      <ul class="stack">
        {refused_registrations.slice(0, 20).map((refused) => (
          <li key={refused.digest} class="stack-tight">
            <span>
              <InertText text={`v${refused.version}`} characters_max={60} mono /> against v{refused.against.slice(0, 60)}
              {refused.refused_at && (
                <>
                  , <RelativeTime at={refused.refused_at} />
                </>
              )}
            </span>
            <ul class="breaking">
              {refused.differences.slice(0, 30).map(({ pointer, message }) => (
                <li key={pointer + message}>
                  <InertText text={pointer} characters_max={160} mono /> <InertText text={message} characters_max={200} />
                </li>
              ))}
            </ul>
          </li>
        ))}
      </ul>
    </Panel>
  );
}
