/** Fields in the order in which people read a rule; others follow by name. */
const ORDER = [
  'id',
  'description',
  'dangerous',
  'rules',
  'tools',
  'names',
  'when',
  'effect',
  'approval',
  'overrides',
  'defer',
  'obligations',
] as const;
const RANK = new Map<string, number>(ORDER.map((name, at) => [name, at]));
const WIDTH = 88;

/** A first policy to start from. */
export const EXAMPLE_TEXT = `{
  "description": "What agents may do by themselves, and what a person approves.",
  "rules": [
    {
      "id": "notes-need-a-person",
      "description": "Notes are read by customers: a person looks before one is written.",
      "tools": "write_file",
      "when": "inputs.path.startsWith(\\"notes/\\")",
      "effect": "require_approval",
      "approval": { "approver_roles": ["approver"], "quorum": 1 }
    }
  ]
}
`;

/** A published policy as its author would write it: known order of fields, short selectors, what is short on one line. */
export function bundleText(bundle: Readonly<Record<string, unknown>>): string {
  const rules = Array.isArray(bundle.rules) ? bundle.rules.map(shortRule) : bundle.rules;
  return `${printed({ ...bundle, rules }, '')}\n`;
}

/** `tools` as a name or a list of names, where it is nothing else; left out where it selects every tool. */
function shortRule(rule: unknown): unknown {
  if (typeof rule !== 'object' || rule === null) return rule;
  const { tools, ...rest } = rule as { tools?: unknown };
  if (typeof tools !== 'object' || tools === null || Array.isArray(tools)) return rule;
  const { names, ...others } = tools as { names?: unknown };
  if (Object.keys(others).length > 0) return rule;
  if (names === undefined) return rest;
  return { ...rest, tools: Array.isArray(names) && names.length === 1 ? names[0] : names };
}

function printed(value: unknown, indent: string): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const line = oneLine(value);
  if (line !== undefined && indent.length + line.length <= WIDTH && !isRules(value)) return line;
  const deeper = `${indent}  `;
  if (Array.isArray(value)) return `[\n${value.map((item) => deeper + printed(item, deeper)).join(',\n')}\n${indent}]`;
  const members = membersOf(value).map(([name, member]) => `${deeper}${JSON.stringify(name)}: ${printed(member, deeper)}`);
  return `{\n${members.join(',\n')}\n${indent}}`;
}

/** Undefined for what is certainly longer than a line. */
function oneLine(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Array.isArray(value) ? value : Object.values(value);
  if (members.length > WIDTH / 3) return undefined;
  if (Array.isArray(value)) {
    const items = value.map(oneLine);
    return items.includes(undefined) ? undefined : `[${items.join(', ')}]`;
  }
  const named = membersOf(value).map(([name, member]) => [name, oneLine(member)] as const);
  if (named.some(([, text]) => text === undefined)) return undefined;
  return named.length === 0 ? '{}' : `{ ${named.map(([name, text]) => `${JSON.stringify(name)}: ${text}`).join(', ')} }`;
}

/** Rules and the list of them always have lines of their own: a diff of texts shows them one by one. */
const isRules = (value: object): boolean =>
  ('id' in value && 'effect' in value) ||
  'rules' in value ||
  (Array.isArray(value) && value.some((item) => typeof item === 'object' && item !== null && 'effect' in item));

function membersOf(value: object): [string, unknown][] {
  const rank = (name: string) => RANK.get(name) ?? ORDER.length;
  return Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .sort(([a], [b]) => rank(a) - rank(b) || (a < b ? -1 : 1));
}
