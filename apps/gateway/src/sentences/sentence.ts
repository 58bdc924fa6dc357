import { isNode, memberPointer, parseSummary, type SummaryPart, type ToolContract, valueAt } from '@countersign/contracts';
import { inertText } from './inert-text.js';
import { filled, isPersonal } from './shown-value.js';

const SENTENCE_CHARS_MAX = 600;
const TITLE_CHARS_MAX = 120;
const FIELDS_MAX = 4;

export interface Sentence {
  /** Inert, one line. */
  text: string;
  /** `contract`: the tool declares it. `inputs`: made from the title and the inputs that identify the effect. `withheld`: without inputs. */
  from: 'contract' | 'inputs' | 'withheld';
}

/** The parts of a contract that a sentence needs. */
export type Summarised = Pick<ToolContract, 'name' | 'title' | 'summary' | 'idempotency' | 'input_schema'>;

/** Parsed summaries, by contract. */
const parsed = new WeakMap<Summarised, readonly SummaryPart[] | null>();

function partsOf(contract: Summarised): readonly SummaryPart[] | null {
  const known = parsed.get(contract);
  if (known !== undefined) return known;
  const read = typeof contract.summary === 'string' ? parseSummary(contract.summary) : null;
  const parts = read === null || 'fault' in read ? null : read;
  parsed.set(contract, parts);
  return parts;
}

/** A value that the schema itself lists is a word of the contract: it needs no quotes. */
const WORD = /^[A-Za-z0-9_.-]{1,40}$/;

function isListed({ input_schema }: Summarised, inputs: unknown, pointer: string): boolean {
  const value = isPersonal(inputs) ? undefined : valueAt(inputs, pointer);
  if (typeof value !== 'string' || !WORD.test(value)) return false;
  const steps = pointer.slice(1).split('/');
  const at = steps.reduce<unknown>(
    (schema, step) => (isNode(schema) && isNode(schema.properties) ? schema.properties[step] : undefined),
    input_schema,
  );
  return isNode(at) && Array.isArray(at.enum) && at.enum.includes(value);
}

/** One input in a sentence. */
const named = (contract: Summarised, inputs: unknown, pointer: string): string =>
  isListed(contract, inputs, pointer) ? String(valueAt(inputs, pointer)) : filled(inputs, pointer, 'value');

/** The inputs that identify the effect, in the order of the schema: what to name in a sentence if the tool declares none. */
function telling({ idempotency, input_schema }: Summarised, inputs: unknown): string[] {
  const properties = (input_schema.properties ?? {}) as Record<string, unknown>;
  const given = inputs !== null && typeof inputs === 'object' ? Object.keys(inputs) : [];
  const { discriminating, except = [] } = idempotency ?? {};
  const wanted = discriminating ?? Object.keys(properties).filter((field) => !except.includes(field));
  return wanted.filter((field) => given.includes(field));
}

function fallback(contract: Summarised, inputs: unknown): string {
  const fields = telling(contract, inputs);
  const shown = fields
    .slice(0, FIELDS_MAX)
    .map((field) => `${inertText(field, 40).text} ${named(contract, inputs, memberPointer('', field))}`);
  const more = fields.length > FIELDS_MAX ? ` and ${fields.length - FIELDS_MAX} more` : '';
  const title = inertText(contract.title, TITLE_CHARS_MAX).text;
  return shown.length === 0 ? title : `${title}: ${shown.join(', ')}${more}`;
}

const bounded = (text: string): string => (text.length > SENTENCE_CHARS_MAX ? `${text.slice(0, SENTENCE_CHARS_MAX)}…` : text);

/**
 * What a call does to whom and how much, in one inert sentence: from the tool's contract and the inputs that run, never from what the agent
 * wrote about it. `inputs` undefined: the reader may not see them. Pure; reads only the named inputs.
 */
export function sentenceOf(contract: Summarised, inputs: unknown): Sentence {
  if (inputs === undefined) return { text: inertText(contract.title, TITLE_CHARS_MAX).text, from: 'withheld' };
  const parts = partsOf(contract);
  if (!parts) return { text: bounded(fallback(contract, inputs)), from: 'inputs' };
  const text = parts
    .map((part) => {
      if ('text' in part) return part.text;
      return part.as === 'value' ? named(contract, inputs, part.pointer) : filled(inputs, part.pointer, part.as);
    })
    .join('');
  return { text: bounded(text), from: 'contract' };
}

/** The sentence for a version that is not in the catalogue anymore. */
export const unknownToolSentence = (tool: string): Sentence => ({ text: `Run ${inertText(tool, TITLE_CHARS_MAX).text}`, from: 'withheld' });
