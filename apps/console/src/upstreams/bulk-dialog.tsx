import { EffectTag } from '../effects/effect-tag.js';
import { InertText } from '../elements/inert.js';
import { useToast } from '../elements/toast.js';
import { FormDialog } from '../forms/form-dialog.js';
import type { Answer } from '../gateway/answer.js';
import type { Schemas } from '../gateway/schemas.js';
import { byEffect, type Choices, chosenOf } from './bulk-choices.js';
import type { UpstreamTool } from './upstream.js';

interface BulkDialogProps {
  choices: Choices;
  items: readonly UpstreamTool[];
  is_pending: boolean;
  submit: () => Promise<Answer<Schemas['UpstreamClassified']>>;
  onClose: () => void;
}

const NAMES_SHOWN = 40;

/** A last look at what is declared: the class of each chosen tool, by risk. */
export function BulkDialog({ choices, items, is_pending, submit, onClose }: BulkDialogProps) {
  const toast = useToast();
  const count = chosenOf(choices, items).length;
  const flagged = chosenOf(choices, items).filter(({ flags }) => flags.length > 0).length;
  const tools = (of: number) => `${of} ${of === 1 ? 'tool' : 'tools'}`;
  const send = async () => {
    const answer = await submit();
    if (!answer.ok) return;
    const failed = answer.data.items.filter(({ problem }) => problem !== null);
    if (failed.length === 0) return toast({ tone: 'good', text: `${tools(count)} classified` });
    toast({ tone: 'bad', text: `${failed.length} of ${count} were not classified: ${failed[0]?.problem ?? ''}`, shown_ms: 20_000 });
  };
  return (
    <FormDialog
      title={`Classify ${tools(count)}?`}
      action={`Classify ${tools(count)}`}
      is_pending={is_pending}
      problem={undefined}
      onSubmit={send}
      onClose={onClose}
    >
      <p>From now on policy decides about their calls by these effects. One fault refuses all.</p>
      {flagged > 0 && <p class="field-error">In {tools(flagged)} the scan found patterns of injection. Agents see these descriptions.</p>}
      <ul class="upstream-groups">
        {byEffect(choices, items).map(({ effect_class, names }) => (
          <li key={effect_class}>
            <div class="row">
              <EffectTag effect_class={effect_class} /> <span class="soft">{tools(names.length)}</span>
            </div>
            <div class="upstream-names">
              {names.slice(0, NAMES_SHOWN).map((name) => (
                <InertText key={name} text={name} characters_max={60} mono />
              ))}
              {names.length > NAMES_SHOWN && <span class="faint">and {names.length - NAMES_SHOWN} more</span>}
            </div>
          </li>
        ))}
      </ul>
    </FormDialog>
  );
}
