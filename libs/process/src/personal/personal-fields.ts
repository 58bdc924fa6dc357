import type { PersonalRule } from '@countersign/domain';

type Field = PersonalRule['inputs'][number];

/** A payload, and the data in which its subjects may be named. */
export interface Payload {
  value: unknown;
  inputs: unknown;
  output: unknown;
}

/** One part to seal, under the keys of all its subjects together. */
export interface Slot {
  subjects: readonly string[];
  value: unknown;
  write(text: string): void;
}

interface Place {
  holder: Record<string, unknown>;
  name: string;
  path: string;
}

const ANY = '*';
const ROOT = '';

const steps = (pointer: string): string[] =>
  pointer
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));

function placesAt(holder: Record<string, unknown>, name: string, pointer: readonly string[], path = '/'): Place[] {
  const value = holder[name];
  const [step, ...rest] = pointer;
  if (step === undefined) return value === undefined ? [] : [{ holder, name, path }];
  if (value === null || typeof value !== 'object') return [];
  const inner = value as Record<string, unknown>;
  const names = step === ANY ? Object.keys(inner) : Object.hasOwn(inner, step) ? [step] : [];
  return names.flatMap((one) => placesAt(inner, one, rest, `${path}${JSON.stringify(one)}/`));
}

function valuesAt(value: unknown, pointer: string): unknown[] {
  return placesAt({ [ROOT]: value }, ROOT, steps(pointer)).map(({ holder, name }) => holder[name]);
}

const isId = (value: unknown): value is string | number => (typeof value === 'string' && value !== '') || typeof value === 'number';

/** The ids to which a reference points: `/customer_id` in the inputs, `output:/…` in the output, `field:/…` in the part itself. */
function named(reference: string, payload: Omit<Payload, 'value'>, part: unknown): string[] {
  const [where, pointer] = reference.startsWith('/') ? ['inputs', reference] : (reference.split(':', 2) as [string, string]);
  const root = where === 'output' ? payload.output : where === 'field' ? part : payload.inputs;
  return valuesAt(root, pointer ?? '')
    .filter(isId)
    .map(String);
}

/** The subjects to which references point, each once. */
export function subjectsOf(references: readonly string[], payload: Omit<Payload, 'value'>, part?: unknown): string[] {
  return [...new Set(references.flatMap((reference) => named(reference, payload, part)))];
}

const depthOf = ({ path }: { path: string }): number => steps(path).length;

/**
 * The parts of a payload that rules mark as personal; writing them changes `root.value`. A part inside another one is sealed with it,
 * under the keys of both.
 */
export function slotsOf(
  rules: readonly PersonalRule[],
  of: 'inputs' | 'output',
  payload: Payload,
): { root: { value: unknown }; slots: Slot[] } {
  const root = { value: structuredClone(payload.value) };
  const fields = rules.flatMap((rule) => rule[of].map((field) => ({ ...field, rule }))).sort((a, b) => depthOf(a) - depthOf(b));
  const slots: (Slot & Place)[] = [];
  for (const { rule, ...field } of fields) {
    for (const place of placesAt(root, 'value', steps(field.path))) {
      const { holder, name, path } = place;
      const subjects = subjectsOf(referencesOf(field, rule), payload, holder[name]);
      const outer = slots.find((slot) => path.startsWith(slot.path));
      if (outer) outer.subjects = [...new Set([...outer.subjects, ...subjects])];
      else {
        const write = (text: string) => {
          holder[name] = text;
        };
        slots.push({ ...place, subjects, value: holder[name], write });
      }
    }
  }
  return { root, slots };
}

function referencesOf(field: Field, rule: PersonalRule): readonly string[] {
  return field.subjects.length > 0 ? field.subjects : rule.subjects;
}
