/** Inputs of a call: JSON. */
export type RepairInputs = Readonly<Record<string, unknown>>;

/** A fault of inputs: the JSON Pointer of a value and what is wrong. */
export interface RepairIssue {
  path: string;
}

/** Checks inputs against the schema of the tool, as admission does. May fill in defaults: it gets a copy. */
export type RepairCheck = (inputs: Record<string, unknown>) => readonly RepairIssue[];

/** The kind of a value; its content is never recorded. */
export type ValueKind = 'text' | 'number' | 'boolean' | 'null' | 'list' | 'object' | 'absent';

/** What a repair does to one value. */
export const repairRules = [
  'text_trimmed',
  'number_from_text',
  'boolean_from_text',
  'text_from_scalar',
  'list_of_one',
  'date_respelled',
  'nearest_choice',
  'null_dropped',
  'cursor_dropped',
  'filter_dropped',
  'filter_widened',
] as const;
export type RepairRule = (typeof repairRules)[number];

/** One changed value, without its content. */
export interface RepairChange {
  pointer: string;
  rule: RepairRule;
  from: ValueKind;
  to: ValueKind;
}

export function kindOf(value: unknown): ValueKind {
  if (value === undefined) return 'absent';
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'list';
  if (typeof value === 'string') return 'text';
  return typeof value as 'number' | 'boolean' | 'object';
}

const words: Readonly<Record<RepairRule, string>> = {
  text_trimmed: 'blanks around the text were removed',
  number_from_text: 'the text became a number',
  boolean_from_text: 'the text became true or false',
  text_from_scalar: 'the value became a text',
  list_of_one: 'the value became a list of one',
  date_respelled: 'the date was spelled as RFC 3339',
  nearest_choice: 'the text became the nearest allowed one',
  null_dropped: 'null was left out',
  cursor_dropped: 'the cursor was left out: the list begins anew',
  filter_dropped: 'the filter was left out because the answer was empty',
  filter_widened: 'the filter was widened because the answer was empty',
};
const POINTER_MAX = 200;

/** A change as a warning of the answer. */
export const repairWarning = ({ pointer, rule }: RepairChange): string => `repaired ${pointer.slice(0, POINTER_MAX)}: ${words[rule]}`;
