import { Select, TextArea, TextField } from '../elements/field.js';
import type { ClassificationFields } from './classification.js';
import type { Upstream, UpstreamTool } from './upstream.js';

export interface ClassifyPartProps {
  form: ClassificationFields;
  onChange: (fields: Partial<ClassificationFields>) => void;
  /** The error at a member of the body. */
  errorOf: (name: string) => string | undefined;
  tool: UpstreamTool;
  upstream: Upstream;
}

const TIERS = [
  ['', 'as usual for its effect'],
  ['tier_0_safe', 'Runs without a question'],
  ['tier_1_auto', 'Runs, and is recorded as a proposal'],
  ['tier_2_approval_required', 'Needs an approval'],
] as const;

const REVERSIBILITY = [
  ['', 'as usual for its effect'],
  ['reversible', 'Can be undone'],
  ['semantic', 'Can be undone in effect, not exactly'],
  ['side_effects', 'Can be undone, with side effects'],
  ['irreversible', 'Cannot be undone'],
] as const;

/** What holds for tools of every effect. */
export function CommonFields({ form, onChange, errorOf }: ClassifyPartProps) {
  return (
    <>
      <TextField
        label="Sentence for approvers"
        hint="What a call does, with its inputs in braces"
        placeholder="Write {/path}"
        value={form.summary}
        onValue={(summary) => onChange({ summary })}
        error={errorOf('summary')}
        characters_max={200}
      />
      <div class="upstream-columns">
        <Select label="Tier" value={form.tier} onValue={(tier) => onChange({ tier })} options={TIERS} error={errorOf('tier')} />
        <Select
          label="Undo"
          value={form.reversibility}
          onValue={(reversibility) => onChange({ reversibility })}
          options={REVERSIBILITY}
          error={errorOf('reversibility')}
        />
      </div>
      <TextArea
        label="What it acts on"
        hint="A line for each: a template over its inputs = replaces or adds"
        placeholder="file:{/path} = replaces"
        mono
        rows={2}
        value={form.resources}
        onValue={(resources) => onChange({ resources })}
        error={errorOf('resources')}
      />
    </>
  );
}

/** A second name for a read, whose calls a cached result may answer. */
export function AliasFields({ form, onChange, errorOf }: ClassifyPartProps) {
  return (
    <TextField
      label="Cached results for"
      hint="Seconds, 1 to 86400: the tool gets a second name, whose calls a result of at most this age may answer. Empty: no second name"
      type="number"
      value={form.alias_s}
      onValue={(alias_s) => onChange({ alias_s })}
      error={errorOf('alias')}
    />
  );
}
