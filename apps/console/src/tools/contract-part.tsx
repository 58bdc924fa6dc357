import { CopyButton } from '../elements/copy-button.js';
import { Facts } from '../elements/facts.js';
import { InertText } from '../elements/inert.js';
import { JsonTree } from '../elements/json-tree.js';
import { duration } from '../elements/relative-time.js';
import { Panel } from '../elements/screen.js';
import { RelativeTime } from '../elements/time-ago.js';
import { wordFor } from '../elements/word-for.js';
import { ownMember } from '../schema-form/schema.js';
import { contractOf } from './contract-changes.js';
import { SchemaTable } from './schema-table.js';
import { SecretNeeds } from './secret-needs.js';
import { REVERSIBILITY, TIERS, type ToolVersion } from './tool-version.js';

/** What the author of a tool promises. */
export function ContractPart({ version }: { version: ToolVersion }) {
  const summary = ownMember(version, 'summary');
  return (
    <div class="stack">
      <div class="tool-description">
        <InertText text={version.description} look="block" />
      </div>
      {typeof summary === 'string' && summary !== '' && (
        <p class="tool-sentence">
          <span class="faint">Approvers read</span> <InertText text={summary} characters_max={400} />
        </p>
      )}
      <Panel title="Inputs">
        <SchemaTable schema={version.input_schema} discriminating={discriminatingOf(version)} />
        <p class="field-hint">{keyText(version)}</p>
      </Panel>
      <Panel title="Outputs">
        <SchemaTable schema={version.output_schema} is_output />
      </Panel>
      <Panel title="Effect">
        <EffectFacts version={version} />
      </Panel>
      {version.auth_requirements.length > 0 && (
        <Panel title="Secrets it needs">
          <SecretNeeds names={version.auth_requirements} />
        </Panel>
      )}
      <Panel title="Limits and origin">
        <OriginFacts version={version} />
      </Panel>
      <details class="tool-json">
        <summary>The whole contract as JSON</summary>
        <JsonTree value={contractOf(version)} open_levels={1} />
      </details>
    </div>
  );
}

/** Whether a top-level input tells calls apart. */
function discriminatingOf({ idempotency, side_effects }: ToolVersion): (name: string) => boolean {
  const { discriminating, except } = idempotency;
  if (side_effects !== 'writes') return () => false;
  if (discriminating) return (name) => discriminating.includes(name);
  return (name) => !(except ?? []).includes(name);
}

const keyText = ({ side_effects, idempotency: { window_ms } }: ToolVersion): string =>
  side_effects === 'writes'
    ? `Calls with the same discriminating inputs are one effect${window_ms === undefined ? '' : `, for ${duration(window_ms)}`}.`
    : 'It changes nothing: calls are not told apart by a key.';

function EffectFacts({ version }: { version: ToolVersion }) {
  const { undo_within_ms, resources } = version;
  return (
    <Facts
      facts={[
        [
          'Undo',
          `${wordFor(REVERSIBILITY, version.reversibility)}${undo_within_ms === undefined ? '' : `, within ${duration(undo_within_ms)}`}`,
        ],
        ['Default tier', wordFor(TIERS, version.default_tier)],
        [
          'Acts on',
          resources.length > 0 && (
            <ul>
              {resources.slice(0, 20).map(({ name, effect }) => (
                <li key={name}>
                  <InertText text={name} characters_max={200} mono />{' '}
                  <span class="soft">{typeof effect === 'string' ? effect : `by ${effect.by.slice(0, 60)}`}</span>
                </li>
              ))}
            </ul>
          ),
        ],
        ['If the outcome is unknown', knownAfter(version)],
        ['Markings', list(version.markings)],
        ['Scopes', list(version.scopes)],
        ['Purposes', list(version.purposes)],
        ['Network', list(version.network ?? [])],
      ]}
    />
  );
}

const knownAfter = ({ side_effects, takes_key, has_reconcile }: ToolVersion): string | undefined => {
  if (side_effects !== 'writes') return undefined;
  if (takes_key) return 'It is sent again with the same key.';
  return has_reconcile ? 'Its system is asked whether it happened.' : 'A person must find out.';
};

const list = (names: readonly string[]) => names.length > 0 && <InertText text={names.slice(0, 50).join(', ')} characters_max={400} mono />;

function OriginFacts({ version }: { version: ToolVersion }) {
  const { sla, cost_per_call, runs_on, registered_at, cache } = version;
  return (
    <Facts
      facts={[
        ['Timeout', duration(version.timeout_ms)],
        ['Output', `at most ${version.max_output_bytes.toLocaleString('en')} bytes`],
        ['Declared latency', sla && `${sla.p50_ms} ms half, ${sla.p95_ms} ms 95 %, ${sla.p99_ms} ms 99 %`],
        ['Cost', cost_per_call !== null && `$${cost_per_call} a call`],
        ['Cache', cache.kind === 'none' ? undefined : cache.kind === 'forever' ? 'for ever' : `for ${duration(cache.ttl_ms ?? 0)}`],
        ['Provider', version.provider !== null && <InertText text={version.provider} characters_max={120} />],
        [
          'Runs',
          <InertText
            key="runs"
            text={`${version.protocol.replaceAll('_', ' ')}${version.endpoint === null ? '' : ` at ${version.endpoint}`}`}
            characters_max={300}
          />,
        ],
        [
          'Adapter',
          runs_on.adapter !== '' && (
            <InertText text={`${runs_on.adapter} ${runs_on.adapter_version} (${runs_on.environment})`} characters_max={200} />
          ),
        ],
        ['Registered', registered_at !== null && <RelativeTime at={registered_at} />],
        ['Digest', <Digest key="digest" text={version.digest} />],
        ['Pin', <Digest key="pin" text={version.pin} />],
      ]}
    />
  );
}

const Digest = ({ text }: { text: string }) => (
  <span class="tool-digest">
    <code>{text.slice(0, 16)}…</code>
    <CopyButton text={text} label="Copy the digest" is_icon />
  </span>
);
