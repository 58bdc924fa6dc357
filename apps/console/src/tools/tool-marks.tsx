import { InertText } from '../elements/inert.js';
import { StatusBadge } from '../elements/status-badge.js';
import { SCOPES, type SecretOf } from './secrets.js';
import { LIFECYCLES } from './tool-version.js';

export function LifecycleBadge({ lifecycle }: { lifecycle: string }) {
  const known = Object.hasOwn(LIFECYCLES, lifecycle) ? LIFECYCLES[lifecycle] : undefined;
  return known ? <StatusBadge status={lifecycle} word={known[0]} tone={known[1]} /> : <StatusBadge status={lifecycle} />;
}

/** Whether the secrets that a tool needs are there for the calls of this person, and of which scope. */
export function AuthBadge({ auth, secretOf }: { auth: readonly string[]; secretOf: SecretOf | undefined }) {
  if (auth.length === 0) return <span class="faint">No secret</span>;
  if (!secretOf) return <span class="faint">…</span>;
  const missing = auth.filter((name) => secretOf(name) === undefined);
  if (missing.length > 0)
    return (
      <StatusBadge
        status="missing"
        tone="bad"
        word={auth.length === 1 ? 'Secret missing' : `${missing.length} of ${auth.length} missing`}
      />
    );
  const found = auth.map((name) => secretOf(name)).filter((one) => one !== undefined);
  if (found.some(({ expired }) => expired)) return <StatusBadge status="expired" tone="bad" word="Secret expired" />;
  const scopes = [...new Set(found.map(({ scope }) => SCOPES[scope]))];
  return <StatusBadge status="found" tone="good" word={`Secret: ${scopes.join(', ')}`} />;
}

/** A score from 0 to 1 with a bar; null: not known. */
export function Trust({ score }: { score: number | null }) {
  if (score === null) return <span class="faint">no score yet</span>;
  return (
    <span class="trust">
      <meter class="trust-meter" min={0} max={1} low={0.5} high={0.8} optimum={1} value={score} aria-label="Trust" />
      {score.toFixed(2)}
    </span>
  );
}

/** A name of a tool or a version, which a remote may have chosen. */
export const ToolName = ({ name }: { name: string }) => <InertText text={name} characters_max={80} mono />;
