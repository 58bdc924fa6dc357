import { isWrite } from '../effects/effect-words.js';
import type { Schemas } from '../gateway/schemas.js';
import { ownMember, schemaOf } from '../schema-form/schema.js';
import { bindingsFrom, bindingsText, resourcesFrom, resourcesText } from './overlay-lines.js';
import type { Definition, UpstreamTool } from './upstream.js';

export type Classification = Schemas['UpstreamClassification'];
export type EffectClass = Classification['effect_class'];

/** What a person declares of a tool. */
export interface ClassificationFields {
  effect_class: EffectClass;
  /** Which definition agents see from then on; the other one is refused. */
  sees: 'pinned' | 'listed';
  /** Empty: all inputs identify the effect. */
  discriminating: string[];
  key_input: string;
  summary: string;
  tier: string;
  reversibility: string;
  resources: string;
  reconcile_tool: string;
  reconcile_inputs: string;
  matches: string;
  is_complete: boolean;
  settle_s: string;
  settle_is_final: boolean;
  compensation_tool: string;
  compensation_inputs: string;
  undo_within_s: string;
  /** How old a cached result of the alias may be; empty: no alias. */
  alias_s: string;
}

/** Members of the body that the form shows; others are sent as they were declared. */
const SHOWN = [
  'effect_class discriminating key_input summary tier reversibility resources reconcile compensation alias',
  'settle_ms settle_is_final undo_within_ms refused_digest',
].flatMap((names) => names.split(' '));
/** The pointers of the issues of a request with one tool. */
export const CLASSIFICATION_FIELDS = [...SHOWN, 'digest', 'reconcile/tool', 'reconcile/inputs', 'reconcile/matches']
  .concat('compensation/tool', 'compensation/inputs')
  .map((name) => `/tools/0/${name}`);

const seconds = (ms: unknown): string => (typeof ms === 'number' ? String(ms / 1000) : '');
const ms = (text: string): number => Math.round(Number(text) * 1000);

/** The names of the top-level inputs of a definition. */
export const inputNames = (definition: Definition | null): string[] =>
  Object.keys(schemaOf(ownMember(definition?.input_schema, 'properties'))).slice(0, 100);

/** The form as the tool is declared; of one that no operator classified, as its hints suggest. */
export function classificationFields(tool: UpstreamTool, sees: ClassificationFields['sees']): ClassificationFields {
  const overlay: Partial<Classification> = tool.is_classified ? (tool.overlay as Classification) : {};
  const { reconcile, compensation } = overlay;
  return {
    effect_class: overlay.effect_class ?? tool.suggestion.effect_class,
    sees,
    discriminating: overlay.discriminating ?? [],
    key_input: overlay.key_input ?? '',
    summary: overlay.summary ?? '',
    tier: overlay.tier ?? '',
    reversibility: overlay.reversibility ?? '',
    resources: resourcesText(overlay.resources ?? []),
    reconcile_tool: reconcile?.tool ?? '',
    reconcile_inputs: bindingsText(reconcile?.inputs ?? {}),
    matches: reconcile?.matches ?? '',
    is_complete: reconcile?.is_complete ?? false,
    settle_s: seconds(overlay.settle_ms),
    settle_is_final: overlay.settle_is_final ?? false,
    compensation_tool: compensation?.tool ?? '',
    compensation_inputs: bindingsText(compensation?.inputs ?? {}),
    undo_within_s: seconds(overlay.undo_within_ms),
    alias_s: seconds(overlay.alias?.ttl_ms),
  };
}

/** The members that the form does not show, as they are: a classification replaces all of it. */
function unshown({ is_classified, overlay }: UpstreamTool): Partial<Classification> {
  if (!is_classified) return {};
  return Object.fromEntries(Object.entries(overlay).filter(([name]) => !SHOWN.includes(name)));
}

/** An item of the body of `POST …/classifications`. What does not fit the class is left out, as the form hides it. */
export function classificationOf(tool: UpstreamTool, form: ClassificationFields): Classification {
  const { pinned, listed } = tool;
  const digest = (form.sees === 'listed' ? listed : pinned)?.digest ?? '';
  const refuses = form.sees === 'pinned' && listed !== null;
  return {
    ...unshown(tool),
    tool: tool.tool,
    digest,
    // it is refused if the tool has changed since it was shown
    etag: tool.etag,
    ...(refuses && { refused_digest: listed.digest }),
    effect_class: form.effect_class,
    ...(form.summary.trim() !== '' && { summary: form.summary.trim() }),
    ...(form.tier !== '' && { tier: form.tier as Classification['tier'] }),
    ...(form.reversibility !== '' && { reversibility: form.reversibility as Classification['reversibility'] }),
    ...(form.resources.trim() !== '' && { resources: resourcesFrom(form.resources) }),
    ...(isWrite(form.effect_class) ? ofWrite(form) : form.alias_s !== '' && { alias: { ttl_ms: ms(form.alias_s) } }),
  };
}

function ofWrite(form: ClassificationFields): Partial<Classification> {
  const { reconcile_tool, compensation_tool, matches, is_complete } = form;
  return {
    ...(form.discriminating.length > 0 && { discriminating: form.discriminating }),
    ...(form.key_input !== '' && { key_input: form.key_input }),
    ...(form.settle_s !== '' && { settle_ms: ms(form.settle_s) }),
    ...(form.settle_is_final && { settle_is_final: true }),
    ...(reconcile_tool !== '' && {
      reconcile: { tool: reconcile_tool, inputs: bindingsFrom(form.reconcile_inputs), matches: matches.trim(), is_complete },
    }),
    ...(compensation_tool !== '' && { compensation: { tool: compensation_tool, inputs: bindingsFrom(form.compensation_inputs) } }),
    ...(compensation_tool !== '' && form.undo_within_s !== '' && { undo_within_ms: ms(form.undo_within_s) }),
  };
}
