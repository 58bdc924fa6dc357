import { canonicalText } from './canonical-text.js';
import { INPUT_POINTER, valueAt } from './json-pointer.js';
import type { ResourceEffect, ResourceTemplate, ToolContract } from './tool-contract.js';

/** Longer names are cut: the shorter name covers everything below it. */
const SEGMENTS_MAX = 16;
/** A call with more names gets only the kinds of its names. */
const RESOURCES_MAX = 32;

const KIND = /^[a-z][a-z0-9_]{0,63}$/;
const PLACEHOLDER = /\{([^{}]*)\}/;
const SEPARATOR = /[/\\]/;
/** Text that needs only case folding. */
const PLAIN = /^[ -~]*$/;

/** One resource that a call acts on. The first segment is the kind. */
export interface ResourceUse {
  readonly segments: readonly string[];
  readonly effect: ResourceEffect;
}

type Part = { readonly text: string } | { readonly pointer: string };

/** A parsed name of a template. */
export interface ResourceName {
  readonly kind: string;
  readonly parts: readonly Part[];
  /** The JSON Pointers of its placeholders. */
  readonly pointers: readonly string[];
}

/** Parses the name of a template. @returns the fault if it is invalid. */
export function parseResourceName(name: string): ResourceName | { fault: string } {
  const colon = name.indexOf(':');
  if (colon < 0) return { fault: 'it has no kind: write kind:segments, for example file:{/path}' };
  const kind = name.slice(0, colon);
  if (!KIND.test(kind)) return { fault: `its kind ${JSON.stringify(kind)} must match [a-z][a-z0-9_]*, at most 64 characters` };
  const pieces = name.slice(colon + 1).split(PLACEHOLDER);
  const texts = pieces.filter((_, at) => at % 2 === 0);
  const pointers = pieces.filter((_, at) => at % 2 === 1);
  if (texts.some((text) => /[{}]/.test(text)))
    return { fault: 'a brace is unbalanced: a placeholder is a JSON Pointer in braces, {/path}' };
  const odd = pointers.find((pointer) => !INPUT_POINTER.test(pointer));
  if (odd !== undefined) return { fault: `{${odd}} is not a JSON Pointer to an input, for example {/path}` };
  if (texts.some((text) => text.split(SEPARATOR).includes('..'))) return { fault: 'its text must not contain the segment ..' };
  if (pieces.every((piece) => piece === '')) return { fault: 'it has no segments after the kind' };
  const parts = pieces.map((piece, at): Part => (at % 2 === 0 ? { text: piece } : { pointer: piece }));
  return { kind, parts, pointers };
}

/** Caches parsed templates. */
const read = new WeakMap<ResourceTemplate, ResourceName>();

function nameOf(template: ResourceTemplate): ResourceName {
  const known = read.get(template);
  if (known) return known;
  const name = parseResourceName(template.name);
  if ('fault' in name) throw new TypeError(`resource ${JSON.stringify(template.name)}: ${name.fault}`);
  read.set(template, name);
  return name;
}

/** Normalizes names that some file system treats as one: Unicode NFC, case-folded. ẞ needs a second fold. */
function folded(segment: string): string {
  if (PLAIN.test(segment)) return segment.toLowerCase();
  return segment.normalize('NFC').toLowerCase().toUpperCase().toLowerCase().normalize('NFC');
}

/**
 * A name under construction. `open`: text of the segment that the next part continues. `floor`: number of segments before the current
 * value.
 */
interface Draft {
  readonly segments: readonly string[];
  readonly open: string;
  readonly floor: number;
  readonly ended: boolean;
}

const draftOf = (segments: readonly string[], open: string, floor: number, ended = false): Draft => ({ segments, open, floor, ended });

/** Closes the open segment. `..` removes one segment; if it would go above the start of its own value, only the kind is left. */
function closed(draft: Draft): Draft {
  const { segments, open, floor, ended } = draft;
  if (ended || open === '') return draft;
  if (open === '.') return draftOf(segments, '', floor);
  if (open !== '..') return draftOf([...segments, folded(open)], '', floor);
  return segments.length > floor ? draftOf(segments.slice(0, -1), '', floor) : draftOf(segments.slice(0, 1), '', floor, true);
}

/** Appends text to a name, split into segments. */
function withText(draft: Draft, text: string): Draft {
  if (draft.ended || text === '') return draft;
  const here = draft.segments.length;
  if (!SEPARATOR.test(text)) return draftOf(draft.segments, draft.open + text, here);
  const [first = '', ...others] = text.split(SEPARATOR);
  const begun = draftOf(draft.segments, draft.open + first, first === '' ? draft.floor : here);
  return others.reduce<Draft>((at, other) => {
    const { segments, ended } = closed(at);
    return draftOf(segments, other, here, ended);
  }, begun);
}

/** Appends the value of an input to a name. Without a value the name ends at its last complete segment. */
function withValue(draft: Draft, value: unknown): Draft {
  const { segments, open, floor, ended } = draft;
  if (ended) return draft;
  if (value === undefined || value === null) return draftOf(segments, '', floor, true);
  if (typeof value !== 'object') return withText(draft, String(value));
  const text = opaqueText(value);
  return text === undefined ? draftOf(segments, '', floor, true) : draftOf(segments, open + text, floor);
}

/** A structured value as one segment; undefined if it has no canonical text (a lone surrogate). */
function opaqueText(value: object): string | undefined {
  try {
    return canonicalText(value);
  } catch {
    return undefined;
  }
}

/** The names of one template; undefined if there are more than a call may have. */
function namesOf(template: ResourceTemplate, inputs: unknown): readonly (readonly string[])[] | undefined {
  const { kind, parts } = nameOf(template);
  let drafts: Draft[] = [draftOf([kind], '', 1)];
  for (const part of parts) {
    if ('text' in part) {
      drafts = drafts.map((draft) => withText(draft, part.text));
      continue;
    }
    const value = valueAt(inputs, part.pointer);
    const values: readonly unknown[] = Array.isArray(value) && value.length > 0 ? value : [Array.isArray(value) ? undefined : value];
    if (drafts.length * values.length > RESOURCES_MAX) return undefined;
    drafts = drafts.flatMap((draft) => values.map((each) => withValue(draft, each)));
  }
  return drafts.map((draft) => closed(draft).segments.slice(0, SEGMENTS_MAX));
}

function effectOf({ effect }: ResourceTemplate, inputs: unknown): ResourceEffect {
  if (typeof effect === 'string') return effect;
  const value = valueAt(inputs, effect.by);
  const name = typeof value === 'string' || typeof value === 'boolean' ? String(value) : undefined;
  return name !== undefined && Object.hasOwn(effect.values, name) ? (effect.values[name] as ResourceEffect) : effect.otherwise;
}

function compareSegments(a: readonly string[], b: readonly string[]): number {
  const at = a.findIndex((segment, index) => segment !== b[index]);
  if (at < 0) return a.length - b.length;
  return b[at] !== undefined && (a[at] as string) < b[at] ? -1 : 1;
}

/** Sorts and removes duplicate names; `replaces` takes precedence. */
function merged(uses: ResourceUse[]): ResourceUse[] {
  if (uses.length < 2) return uses;
  const sorted = uses.toSorted(
    (a, b) => compareSegments(a.segments, b.segments) || (a.effect === b.effect ? 0 : a.effect === 'replaces' ? -1 : 1),
  );
  return sorted.filter((use, at) => at === 0 || compareSegments((sorted[at - 1] as ResourceUse).segments, use.segments) !== 0);
}

/**
 * The resources that a call with these inputs acts on; use the mapped inputs. [] if the contract declares none.
 * Text and values are split at `/` and `\`. Empty segments and `.` are dropped; `..` removes one segment, and one above the start of its
 * own value leaves only the kind. Letter case and Unicode form are normalized. A placeholder without a value ends the name before its
 * segment, an array gives one name per item, an object is one segment.
 * Every cut gives a broader name, which may end an answer early but never keeps a wrong answer.
 * @throws TypeError if a template is invalid; such a tool does not load.
 */
export function resourcesOf(contract: Pick<ToolContract, 'resources'>, inputs: unknown): ResourceUse[] {
  const templates = contract.resources;
  if (templates === undefined || templates.length === 0) return [];
  const kindOnly = (template: ResourceTemplate) => [[nameOf(template).kind]];
  const usesOf = (names: (template: ResourceTemplate) => readonly (readonly string[])[]) =>
    merged(templates.flatMap((template) => names(template).map((segments) => ({ segments, effect: effectOf(template, inputs) }))));
  const uses = usesOf((template) => namesOf(template, inputs) ?? kindOnly(template));
  return uses.length > RESOURCES_MAX ? usesOf(kindOnly) : uses;
}

/** True if an effect on one name concerns the other: it is equal, above or below. */
export function overlaps(a: readonly string[], b: readonly string[]): boolean {
  const length = Math.min(a.length, b.length);
  return a.slice(0, length).every((segment, at) => segment === b[at]);
}
