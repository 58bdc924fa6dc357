import { InertText } from '../elements/inert.js';
import { Tag } from '../elements/status-badge.js';
import type { Rule } from './rule.js';
import { effectWords, fieldWord, toolWords, valueWords } from './rule-words.js';

/** Fields with a place of their own on the card. */
const SHOWN = new Set(['id', 'description', 'effect', 'tools', 'when']);

/** A rule as people read it: what it does, with which calls, when. */
export function RuleCard({ rule }: { rule: Rule }) {
  const { word, tone } = effectWords(rule.effect);
  const { tools } = rule.fields;
  const others = Object.entries(rule.fields).filter(([field]) => !SHOWN.has(field));
  return (
    <article class="policies-rule">
      <header class="policies-rule-head">
        <Tag tone={tone}>{word}</Tag>
        <h3>
          <InertText text={rule.id} characters_max={120} />
        </h3>
        <span class="policies-rule-tools">
          <InertText
            text={typeof tools === 'object' && tools !== null ? toolWords(tools as Record<string, unknown>) : 'every tool'}
            characters_max={160}
            mono
          />
        </span>
      </header>
      {rule.description && (
        <div class="soft">
          <InertText text={rule.description} look="block" characters_max={300} />
        </div>
      )}
      {rule.when && (
        <div class="policies-when">
          <InertText text={rule.when} look="block" mono characters_max={500} />
        </div>
      )}
      {others.length > 0 && (
        <dl class="policies-rule-fields">
          {others.map(([field, value]) => (
            <div key={field}>
              <dt>{fieldWord(field)}</dt>
              <dd>
                <InertText text={valueWords(field, value) ?? JSON.stringify(value)} characters_max={300} />
              </dd>
            </div>
          ))}
        </dl>
      )}
    </article>
  );
}
