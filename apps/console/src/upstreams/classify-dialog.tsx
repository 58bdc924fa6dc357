import { useState } from 'preact/hooks';
import { isWrite } from '../effects/effect-words.js';
import { Select } from '../elements/field.js';
import { useToast } from '../elements/toast.js';
import { focusFirstError } from '../forms/focus-first-error.js';
import { FormDialog } from '../forms/form-dialog.js';
import { placedErrors } from '../forms/placed-errors.js';
import { refusalOf } from '../forms/refusal.js';
import { useSession } from '../gateway/context.js';
import {
  CLASSIFICATION_FIELDS,
  type ClassificationFields,
  classificationFields,
  classificationOf,
  type EffectClass,
} from './classification.js';
import { withClassificationRace } from './classification-race.js';
import { AliasFields, CommonFields } from './classify-fields.js';
import { EFFECT_OPTIONS } from './effect-options.js';
import { CLASSIFIERS, placeOf, type Upstream, type UpstreamTool } from './upstream.js';
import { useClassify } from './use-classify.js';
import { WriteFields } from './write-fields.js';

interface ClassifyDialogProps {
  upstream: Upstream;
  tool: UpstreamTool;
  /** Which definition the person came to accept. */
  sees: ClassificationFields['sees'];
  onClose: () => void;
}

/** Classifies one tool with all that can be declared of it. */
export function ClassifyDialog({ upstream, tool: shown, sees, onClose }: ClassifyDialogProps) {
  // as it was when the form was opened: the digests are those of what the person looks at
  const [tool] = useState(shown);
  const [form, setForm] = useState(() => classificationFields(tool, sees));
  const [refusal, setRefusal] = useState<string>();
  const toast = useToast();
  const classify = useClassify(upstream.name);
  const refused = useRefusal(upstream);
  const { at, rest } = placedErrors(withClassificationRace(classify.problem, [tool.tool]), CLASSIFICATION_FIELDS);
  const errorOf = (name: string) => at[`/tools/0/${name}`];
  const change = (fields: Partial<ClassificationFields>) => setForm({ ...form, ...fields });
  const submit = async () => {
    const answer = await classify.run([classificationOf(tool, form)]);
    if (!answer.ok) return focusFirstError();
    const problem = answer.data.items[0]?.problem ?? undefined;
    setRefusal(problem);
    if (problem !== undefined) return;
    toast({ tone: 'good', text: 'The tool is classified' });
    onClose();
  };
  const parts = { form, onChange: change, errorOf, tool, upstream };
  return (
    <FormDialog
      title={tool.is_classified ? 'Change what is declared' : 'Classify the tool'}
      action={form.sees === 'pinned' && tool.listed ? 'Refuse the new definition' : 'Classify'}
      size="wide"
      is_pending={classify.is_pending}
      problem={rest}
      refused={refused}
      onSubmit={submit}
      onClose={onClose}
    >
      <p class="soft">
        {tool.is_classified
          ? 'It is declared as follows now.'
          : 'The effect is filled in from the hints of the server, which may be wrong. Nothing is sent before you do.'}
      </p>
      {tool.pinned && tool.listed && (
        <Select
          label="Agents see"
          value={form.sees}
          onValue={(value) => change({ sees: value as ClassificationFields['sees'] })}
          options={[
            ['listed', 'the new definition, which is accepted'],
            ['pinned', 'the pinned definition; the new one is refused'],
          ]}
          error={errorOf('refused_digest') ?? errorOf('digest')}
        />
      )}
      <Select
        label="Effect"
        value={form.effect_class}
        onValue={(value) => change({ effect_class: value as EffectClass })}
        options={EFFECT_OPTIONS}
        error={errorOf('effect_class') ?? (tool.listed ? undefined : errorOf('digest'))}
      />
      <CommonFields {...parts} />
      {isWrite(form.effect_class) ? <WriteFields {...parts} /> : <AliasFields {...parts} />}
      {refusal && (
        <p class="field-error" role="alert">
          {refusal}
        </p>
      )}
    </FormDialog>
  );
}

/** Why the form must not be sent; undefined: it may. What was looked at was said by the server at that place. */
function useRefusal(upstream: Upstream): string | undefined {
  const [place] = useState(placeOf(upstream));
  const unallowed = refusalOf(useSession(), CLASSIFIERS);
  if (place === placeOf(upstream)) return unallowed;
  return 'The upstream is at another place since this was opened: what you looked at was said by the former server.';
}
