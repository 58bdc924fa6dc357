import { isWrite } from '../effects/effect-words.js';
import { CheckGroup } from '../elements/check-group.js';
import { InertText } from '../elements/inert.js';
import { Link } from '../navigation/link.js';
import { optionText } from '../schema-form/option-text.js';
import type { Choice } from './bulk-choices.js';
import { type EffectClass, inputNames } from './classification.js';
import { EFFECT_OPTIONS } from './effect-options.js';
import { Flags, hintsText } from './flag-words.js';
import { toolPath, type UpstreamTool } from './upstream.js';

interface BulkRowProps {
  upstream: string;
  tool: UpstreamTool;
  choice: Choice;
  /** Why the last request was refused because of it. */
  error: string | undefined;
  onChange: (fields: Partial<Choice>) => void;
}

/** One tool of the bulk form: chosen or not, what the server says of it, and what the person declares. */
export function BulkRow({ upstream, tool, choice, error, onChange }: BulkRowProps) {
  const name = optionText(tool.tool);
  const { pinned } = tool;
  return (
    <li class="upstream-row" data-chosen={choice.is_chosen || undefined}>
      <label class="check upstream-row-name">
        <input type="checkbox" checked={choice.is_chosen} onChange={() => onChange({ is_chosen: !choice.is_chosen })} />
        <InertText text={tool.tool} characters_max={80} mono />
      </label>
      <select
        class="input upstream-row-effect"
        aria-label={`Effect of ${name}`}
        aria-invalid={error ? true : undefined}
        value={choice.effect_class}
        onChange={(event) => onChange({ effect_class: event.currentTarget.value as EffectClass })}
      >
        {EFFECT_OPTIONS.map(([value, label]) => (
          <option key={value} value={value}>
            {label}
          </option>
        ))}
      </select>
      <div class="upstream-row-text">
        <span class="soft">{originOf(tool, choice)}</span>
        {pinned && <InertText text={pinned.description || 'It has no description.'} look="block" characters_max={180} />}
        <div class="row">
          <Flags flags={tool.flags} />
          <Link href={toolPath(upstream, tool.tool)} aria-label={`All of it: ${name}`}>
            All of it
          </Link>
        </div>
        {isWrite(choice.effect_class) && pinned && (
          <details class="upstream-schema">
            <summary>{choice.discriminating.length === 0 ? 'All inputs identify its effect' : identifiedBy(choice.discriminating)}</summary>
            <CheckGroup
              label="Inputs that identify the effect (none chosen: all)"
              options={inputNames(pinned)}
              chosen={choice.discriminating}
              onChosen={(discriminating) => onChange({ discriminating })}
            />
          </details>
        )}
        {error && (
          <p class="field-error" role="alert">
            {error}
          </p>
        )}
      </div>
    </li>
  );
}

const identifiedBy = (names: readonly string[]): string => `${names.slice(0, 5).map(optionText).join(', ')} identify its effect`;

/** Where the class in the row comes from. */
function originOf({ is_classified, effect_class, suggestion, pinned }: UpstreamTool, choice: Choice): string {
  if (is_classified) return choice.effect_class === effect_class ? 'as classified' : 'changed by you';
  if (choice.effect_class !== suggestion.effect_class) return 'changed by you';
  const hints = hintsText(pinned?.annotations ?? {});
  return hints === '' ? 'the strictest class: the server gives no hints' : `filled in from unverified hints: ${hints}`;
}
