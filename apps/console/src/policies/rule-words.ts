import type { Tone } from '../elements/status.js';
import { exactDuration } from './exact-duration.js';

type Fields = Readonly<Record<string, unknown>>;

const EFFECTS: Readonly<Record<string, readonly [word: string, tone: Tone]>> = {
  allow: ['Allow', 'good'],
  require_approval: ['Ask a person', 'warn'],
  deny: ['Deny', 'bad'],
  defer: ['Wait', 'busy'],
};

/** An effect as a person says it, and its colour. */
export function effectWords(effect: string): { word: string; tone: Tone } {
  const known = Object.hasOwn(EFFECTS, effect) ? EFFECTS[effect] : undefined;
  return known ? { word: known[0], tone: known[1] } : { word: effect, tone: 'neutral' };
}

const FIELDS: Readonly<Record<string, string>> = {
  id: 'Id',
  description: 'Description',
  dangerous: 'Dangerous operations',
  tools: 'Tools',
  when: 'When',
  effect: 'Effect',
  approval: 'Approval',
  overrides: 'Overrides',
  defer: 'Waits until',
  obligations: 'Also',
  at_execution: 'Allowed before this rule',
  compensations: 'Applies to',
  expires_at_ms: 'Ends',
};

/** The name of a field of a rule or bundle. */
export const fieldWord = (field: string): string => (Object.hasOwn(FIELDS, field) ? (FIELDS[field] as string) : field);

/** The value of a field in words; undefined where there are none, and its JSON is shown. */
export function valueWords(field: string, value: unknown): string | undefined {
  if (value === undefined) return field === 'when' ? 'always' : field === 'tools' ? 'every tool' : 'not set';
  switch (field) {
    case 'tools':
      return isFields(value) ? toolWords(value) : undefined;
    case 'effect':
      return effectWords(String(value)).word;
    case 'approval':
      return isFields(value) ? approvalWords(value) : undefined;
    case 'defer':
      return isFields(value) ? deferWords(value) : undefined;
    case 'overrides':
      return textsOf(value).join(', ') || undefined;
    case 'obligations':
      return Array.isArray(value) ? value.map(obligationWords).join('; ') : undefined;
    case 'compensations':
      return value === true ? 'calls that undo an effect' : undefined;
    case 'at_execution':
      return value === 'ask' ? 'a person is asked at execution' : value === 'refuse' ? 'refused at execution' : undefined;
    case 'expires_at_ms':
      return typeof value === 'number' && Math.abs(value) <= 8.64e15
        ? new Date(value).toISOString().slice(0, 16).replace('T', ' ')
        : undefined;
    default:
      return typeof value === 'string' ? value : undefined;
  }
}

/** What a selector selects. */
export function toolWords({ names, categories, effect_classes, markings, upstream }: Fields): string {
  const parts = [
    textsOf(names).join(', '),
    typeof upstream === 'string' ? `upstream ${upstream}` : '',
    ...[
      ['category', categories],
      ['effect', effect_classes],
      ['marked', markings],
    ].map(([word, list]) => (textsOf(list).length > 0 ? `${word} ${textsOf(list).join(' or ')}` : '')),
  ].filter(Boolean);
  return parts.length === 0 ? 'every tool' : parts.join(', with ');
}

/** Who approves, how many, and how long they have. */
export function approvalWords(approval: Fields): string {
  const { quorum, four_eyes, expires_after_ms, on_expiry, escalate_to } = approval;
  const who = [...textsOf(approval.approver_roles).map((role) => `role ${role}`), ...textsOf(approval.people)].join(' or ');
  const parts = [
    `${typeof quorum === 'number' ? quorum : 1} of ${who || 'role approver'}`,
    ...(typeof expires_after_ms === 'number' ? [`within ${exactDuration(expires_after_ms)}`] : []),
    ...(four_eyes === false ? ['the requester may approve'] : []),
    ...(on_expiry === 'escalate'
      ? [`then ${Array.isArray(escalate_to) ? escalate_to.filter(isFields).map(escalationWords).join(', then ') : 'others'}`]
      : []),
  ];
  return parts.join(', ');
}

const escalationWords = (group: Fields): string =>
  `${typeof group.quorum === 'number' ? group.quorum : 1} of ${[...textsOf(group.approver_roles).map((role) => `role ${role}`), ...textsOf(group.people)].join(' or ')}`;

function deferWords({ until, timeout_ms, on_timeout }: Fields): string {
  const wait = typeof timeout_ms === 'number' ? `, at most ${exactDuration(timeout_ms)}` : '';
  return `${String(until)}${wait}, then ${on_timeout === 'require_approval' ? 'a person is asked' : 'denied'}`;
}

function obligationWords(obligation: unknown): string {
  if (!isFields(obligation)) return String(obligation);
  const { redact, cap, tag } = obligation;
  if (redact !== undefined) return `hide ${textsOf(redact).join(', ')} of the output`;
  if (typeof tag === 'string') return `tag ${tag}`;
  if (!isFields(cap)) return JSON.stringify(obligation);
  return `${cap.path} at most ${cap.max}, else ${cap.otherwise === 'lower' ? 'lowered' : 'refused'}`;
}

const isFields = (value: unknown): value is Fields => typeof value === 'object' && value !== null && !Array.isArray(value);
const textsOf = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((item): item is string => typeof item === 'string') : [];
