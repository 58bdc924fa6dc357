import { EffectTag } from '../effects/effect-tag.js';
import { InertText } from '../elements/inert.js';
import { Screen } from '../elements/screen.js';
import { type Tab, Tabs } from '../elements/tabs.js';
import { Link } from '../navigation/link.js';
import { usePlace, useQueryState } from '../navigation/navigation.js';
import { optionText } from '../schema-form/option-text.js';
import { ContractPart } from './contract-part.js';
import { LifecyclePart } from './lifecycle-part.js';
import { PolicyPart } from './policy-part.js';
import { useSecrets } from './secrets.js';
import { filterQuery, filtersFrom } from './tool-filters.js';
import { AuthBadge, LifecycleBadge, Trust } from './tool-marks.js';
import { ToolNotices } from './tool-notices.js';
import { shownVersion } from './tool-summary.js';
import type { Tool, ToolVersion } from './tool-version.js';
import { TrialPart } from './trial-part.js';
import { TrustPart } from './trust-part.js';
import { VersionsPart } from './versions-part.js';

const PARTS: readonly Tab[] = [
  { id: 'contract', label: 'Contract' },
  { id: 'try', label: 'Try a call' },
  { id: 'versions', label: 'Versions' },
  { id: 'lifecycle', label: 'Lifecycle' },
  { id: 'policy', label: 'Policy' },
  { id: 'trust', label: 'Trust' },
];

/** A version of a tool with all that is known of it. The version and the part live in the address. */
export function ToolDetail({ tool }: { tool: Tool }) {
  const [wanted, setWanted] = useQueryState('version');
  const [part, setPart] = useQueryState('tab', 'contract');
  const { query } = usePlace();
  const version = tool.versions.find((one) => one.version === wanted) ?? shownVersion(tool);
  if (!version) return <Screen title={tool.name.slice(0, 80)}>It has no version.</Screen>;
  const tabs = PARTS.map((tab) => (tab.id === 'versions' ? { ...tab, count: tool.versions.length } : tab));
  const about = (
    <>
      <Link href={`/tools${filterQuery(filtersFrom(query))}`} class="tools-back tool-back">
        All tools
      </Link>
      <InertText text={version.title} characters_max={160} />
    </>
  );
  return (
    <Screen title={optionText(tool.name)} about={about} actions={<VersionChoice {...{ tool, version, setWanted }} />}>
      <Facts version={version} />
      <ToolNotices tool={tool} version={version} />
      <Tabs label="Parts of the tool" tabs={tabs} selected={part} onSelect={setPart}>
        {part === 'try' ? (
          <TrialPart key={`${tool.name}@${version.version}`} version={version} />
        ) : part === 'versions' ? (
          <VersionsPart tool={tool} version={version} />
        ) : part === 'lifecycle' ? (
          <LifecyclePart key={version.version} tool={tool} version={version} />
        ) : part === 'policy' ? (
          <PolicyPart version={version} />
        ) : part === 'trust' ? (
          <TrustPart version={version} />
        ) : (
          <ContractPart version={version} />
        )}
      </Tabs>
    </Screen>
  );
}

interface VersionChoiceProps {
  tool: Tool;
  version: ToolVersion;
  setWanted: (version: string) => void;
}

function VersionChoice({ tool, version, setWanted }: VersionChoiceProps) {
  return (
    <select
      class="input tool-version"
      aria-label="Version"
      value={version.version}
      onChange={(event) => setWanted(event.currentTarget.value)}
    >
      {tool.versions.slice(0, 200).map((one) => (
        <option key={one.version} value={one.version}>
          {`v${optionText(one.version)}${one.lifecycle === 'active' ? '' : ` (${one.lifecycle})`}`}
        </option>
      ))}
    </select>
  );
}

/** One line of what decides whether to use it. */
function Facts({ version }: { version: ToolVersion }) {
  const secretOf = useSecrets();
  return (
    <div class="row tool-facts">
      <LifecycleBadge lifecycle={version.lifecycle} />
      <EffectTag effect_class={version.effect_class} />
      <AuthBadge auth={version.auth_requirements} secretOf={secretOf} />
      <span class="tool-trust">
        <span class="faint">Trust</span> <Trust score={version.trust_score} />
      </span>
      {version.category !== '' && <InertText text={version.category} characters_max={40} />}
    </div>
  );
}
