import type { LifecycleEntry, ReportedTrust } from '@countersign/domain';
import { inertText } from '../sentences/inert-text.js';
import { AMOUNT_DAYS } from './amounts.js';
import type { AmountFact, UnusualFact } from './approval-facts.schemas.js';
import type { Recipient } from './recipients.js';

const DAY_MS = 86_400_000;
/** How long a promotion counts as new. */
const NEW_DAYS = 7;
/** So much above the median is unusual, given enough calls to compare with. */
const FAR_ABOVE = 3;
const COMPARED_MIN = 5;

/** The earlier calls of the same tool that a request is compared with: those that had, or may have had, an effect. */
export interface EarlierCalls {
  count: number;
  /** False: only the newest ones were compared. */
  complete: boolean;
  /** Time of the oldest of them; null: there are none. */
  since_ms: number | null;
  versions: readonly string[];
  /** The contract digest of the newest earlier call of the same version; null: there is none. */
  contract_digest: string | null;
}

/** The recorded facts about one request, as of a time. */
export interface Known {
  now_ms: number;
  call: { tool: string; version: string; contract_digest: string };
  agent: { id: string; is_new_to_tool: boolean; trust: ReportedTrust | undefined } | null;
  tool_trust: ReportedTrust | undefined;
  mapped: { version: number | null; changes: readonly string[] } | null;
  edited_by: string | null;
  earlier: EarlierCalls;
  first_for: readonly Recipient[];
  amount: AmountFact | null;
  lifecycle: Pick<LifecycleEntry, 'state' | 'changed_at_ms'> | undefined;
}

type Finding = (known: Known) => UnusualFact[];

const among = ({ count, complete, since_ms }: EarlierCalls) => ({
  calls_compared: count,
  complete,
  since: since_ms === null ? null : new Date(since_ms).toISOString(),
});

const fact = (code: UnusualFact['code'], text: string, details: UnusualFact['details'] = {}): UnusualFact => ({ code, text, details });

const mapped: Finding = ({ mapped: by }) => {
  if (!by || by.changes.length === 0) return [];
  const where = by.changes.map((path) => (path === '' ? 'all inputs' : inertText(path).text));
  const details = { mapping_version: by.version, changed: where };
  return [fact('inputs_mapped', `A mapping of the tenant changed what the agent sent: ${where.join(', ')}`, details)];
};

const edited: Finding = ({ edited_by }) =>
  edited_by === null ? [] : [fact('inputs_edited', `${inertText(edited_by).text} edited the inputs`, { by: edited_by })];

const firstUse: Finding = ({ call, earlier }) =>
  earlier.count > 0 ? [] : [fact('first_use_of_tool', `No call of ${call.tool} has had an effect in this tenant before`)];

const firstRecipient: Finding = ({ call, earlier, first_for }) => {
  if (earlier.count === 0) return [];
  const scope = earlier.complete ? '' : ` among the newest ${earlier.count}`;
  return first_for.map(({ field, shown }) =>
    fact('first_time_for_resource', `First call of ${call.tool}${scope} for ${inertText(field).text} “${shown}”`, {
      field,
      value: shown,
      ...among(earlier),
    }),
  );
};

const amounts: Finding = ({ amount }) => {
  if (!amount) return [];
  const { value, field, last_30_days } = amount;
  const { count, median, maximum } = last_30_days;
  if (median === null || maximum === null) return [];
  const details = { field, value, ...last_30_days };
  const than = `${count} ${count === 1 ? 'call' : 'calls'} of the last ${AMOUNT_DAYS} days`;
  if (value > maximum)
    return [fact('amount_above_maximum', `${value} is more than in any of the ${than} (at most ${maximum}, median ${median})`, details)];
  if (count < COMPARED_MIN || value <= FAR_ABOVE * median) return [];
  return [fact('amount_far_above_median', `${value} is more than ${FAR_ABOVE} times the median ${median} of the ${than}`, details)];
};

const agentFacts: Finding = ({ agent, call }) => {
  if (!agent) return [];
  const name = inertText(agent.id).text;
  const isNew = agent.is_new_to_tool ? [fact('agent_new_to_tool', `${name} has not used ${call.tool} before`, { agent: agent.id })] : [];
  if (agent.trust?.band !== 'low' || agent.trust.score === null) return isNew;
  const { score } = agent.trust;
  return [...isNew, fact('agent_low_trust', `The trust score of ${name} is low (${score.toFixed(2)})`, { agent: agent.id, score })];
};

const toolTrust: Finding = ({ tool_trust: trust, call }) =>
  trust?.band === 'low' && trust.score !== null
    ? [fact('tool_low_trust', `The trust score of ${call.tool} ${call.version} is low (${trust.score.toFixed(2)})`, { score: trust.score })]
    : [];

const versionFacts: Finding = ({ call, earlier, lifecycle, now_ms }) => {
  const facts: UnusualFact[] = [];
  const { version, tool } = call;
  if (earlier.count > 0 && !earlier.versions.includes(version))
    facts.push(
      fact('version_new', `No earlier call ran ${tool} ${version}`, { version, earlier_versions: earlier.versions, ...among(earlier) }),
    );
  if (lifecycle?.state === 'active' && now_ms - lifecycle.changed_at_ms < NEW_DAYS * DAY_MS) {
    const promoted_at = new Date(lifecycle.changed_at_ms).toISOString();
    facts.push(fact('version_newly_promoted', `${tool} ${version} was promoted at ${promoted_at}`, { version, promoted_at }));
  }
  if (earlier.contract_digest !== null && earlier.contract_digest !== call.contract_digest)
    facts.push(
      fact('contract_changed', `The contract of ${tool} ${version} is another than that of the last call`, {
        version,
        contract_digest: call.contract_digest,
        earlier_contract_digest: earlier.contract_digest,
      }),
    );
  return facts;
};

const findings: readonly Finding[] = [mapped, edited, amounts, firstUse, firstRecipient, agentFacts, toolTrust, versionFacts];

/** What is unusual about a request, the most telling facts first. Pure; nothing in it comes from what the agent wrote about the call. */
export function unusualFacts(known: Known): UnusualFact[] {
  return findings.flatMap((finding) => finding(known));
}
