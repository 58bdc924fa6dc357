import { isWrite } from '../effects/effect-words.js';
import { CheckGroup } from '../elements/check-group.js';
import { Select, TextArea, TextField } from '../elements/field.js';
import { optionText } from '../schema-form/option-text.js';
import { inputNames } from './classification.js';
import type { ClassifyPartProps } from './classify-fields.js';

/** What a write needs so that one effect stays one: which inputs identify it, and how a lost answer is looked up. */
export function WriteFields(props: ClassifyPartProps) {
  const { form, onChange, errorOf, tool } = props;
  const inputs = inputNames(form.sees === 'listed' ? tool.listed : tool.pinned);
  return (
    <>
      <h3>One effect</h3>
      <CheckGroup
        label="Inputs that identify the effect (none chosen: all)"
        options={inputs}
        chosen={form.discriminating}
        onChosen={(discriminating) => onChange({ discriminating })}
        error={errorOf('discriminating')}
      />
      <Select
        label="Input that carries our key"
        hint="The platform sets it to the key of the attempt; callers do not see it"
        value={form.key_input}
        onValue={(key_input) => onChange({ key_input })}
        options={[['', 'none'], ...inputs.map((name) => [name, optionText(name)] as const)]}
        error={errorOf('key_input')}
      />
      <h3>If the answer is lost</h3>
      <ReconcileFields {...props} />
      <h3>Undo</h3>
      <CompensationFields {...props} />
    </>
  );
}

function ReconcileFields({ form, onChange, errorOf, tool, upstream }: ClassifyPartProps) {
  const reads = upstream.tools.filter((each) => each.is_classified && !isWrite(each.effect_class) && each.tool !== tool.tool);
  const options = namesWith(
    reads.map((each) => each.tool),
    form.reconcile_tool,
  );
  return (
    <>
      <Select
        label="Look it up by"
        hint="A tool of this upstream that is classified as a read. Without one, a write whose answer is lost is in doubt until a person finds out"
        value={form.reconcile_tool}
        onValue={(reconcile_tool) => onChange({ reconcile_tool })}
        options={[['', 'nothing'], ...options]}
        error={errorOf('reconcile/tool') ?? errorOf('reconcile')}
      />
      {form.reconcile_tool !== '' && (
        <>
          <BindingsField
            label="Inputs of the read"
            value={form.reconcile_inputs}
            onValue={(reconcile_inputs) => onChange({ reconcile_inputs })}
            error={errorOf('reconcile/inputs')}
          />
          <TextArea
            label="It happened if"
            hint="CEL over inputs, attempt_key and output. It must read an input that identifies the effect, or the key"
            placeholder="output.structured.entities.exists(e, e.name == inputs.name)"
            mono
            rows={2}
            value={form.matches}
            onValue={(matches) => onChange({ matches })}
            error={errorOf('reconcile/matches')}
            characters_max={2000}
          />
          <label class="check">
            <input type="checkbox" checked={form.is_complete} onChange={() => onChange({ is_complete: !form.is_complete })} /> The read
            shows every effect: no match means that nothing happened
          </label>
        </>
      )}
      <TextField
        label="Settles after"
        hint="Seconds: it is looked up then at the earliest"
        type="number"
        value={form.settle_s}
        onValue={(settle_s) => onChange({ settle_s })}
        error={errorOf('settle_ms')}
      />
      <label class="check">
        <input
          type="checkbox"
          checked={form.settle_is_final}
          onChange={() => onChange({ settle_is_final: !form.settle_is_final })}
          aria-invalid={errorOf('settle_is_final') ? true : undefined}
        />{' '}
        An effect that has not happened by then never will
      </label>
      {errorOf('settle_is_final') && (
        <p class="field-error" role="alert">
          {errorOf('settle_is_final')}
        </p>
      )}
    </>
  );
}

function CompensationFields({ form, onChange, errorOf, tool, upstream }: ClassifyPartProps) {
  const others = upstream.tools.filter((each) => each.tool !== tool.tool && each.state !== 'gone').map((each) => each.tool);
  return (
    <>
      <Select
        label="Undone by"
        hint="A tool of this upstream that undoes the effect"
        value={form.compensation_tool}
        onValue={(compensation_tool) => onChange({ compensation_tool })}
        options={[['', 'nothing'], ...namesWith(others, form.compensation_tool)]}
        error={errorOf('compensation/tool') ?? errorOf('compensation')}
      />
      {form.compensation_tool !== '' && (
        <>
          <BindingsField
            label="Inputs of the undo"
            value={form.compensation_inputs}
            onValue={(compensation_inputs) => onChange({ compensation_inputs })}
            error={errorOf('compensation/inputs')}
          />
          <TextField
            label="Can be undone for"
            hint="Seconds; empty: without a limit"
            type="number"
            value={form.undo_within_s}
            onValue={(undo_within_s) => onChange({ undo_within_s })}
            error={errorOf('undo_within_ms')}
          />
        </>
      )}
    </>
  );
}

interface BindingsFieldProps {
  label: string;
  value: string;
  onValue: (value: string) => void;
  error: string | undefined;
}

const BindingsField = (props: BindingsFieldProps) => (
  <TextArea
    hint="A line for each: name = /inputs/… or /output/… or /attempt_key, or a value as JSON"
    placeholder="name = /inputs/name"
    mono
    rows={2}
    {...props}
  />
);

/** The options, with the present one even if it is not among them any more. */
const namesWith = (names: readonly string[], present: string): (readonly [string, string])[] =>
  [...new Set([...names, ...(present === '' ? [] : [present])])].map((name) => [name, optionText(name)] as const);
