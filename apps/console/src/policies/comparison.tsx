import { useMemo } from 'preact/hooks';
import { ChoiceBar, ChoiceButton } from '../lists/choice-bar.js';
import { useQueryState } from '../navigation/navigation.js';
import { bundleText } from './bundle-text.js';
import { RuleChanges } from './rule-changes.js';
import { policyDiff } from './rule-diff.js';
import { TextDiff } from './text-diff.js';
import './changes.css';

type Bundle = Readonly<Record<string, unknown>>;

interface ComparisonProps {
  before: Bundle;
  after: Bundle;
  names: readonly [before: string, after: string];
}

/** How two policies differ: rule by rule, or as texts. */
export function Comparison({ before, after, names }: ComparisonProps) {
  const [look, setLook] = useQueryState('look', 'rules');
  const diff = useMemo(() => policyDiff(before, after), [before, after]);
  const texts = useMemo(() => (look === 'text' ? ([bundleText(before), bundleText(after)] as const) : undefined), [look, before, after]);
  return (
    <div class="stack">
      <div class="row">
        <ChoiceBar label="Look of the comparison">
          <ChoiceButton is_pressed={look !== 'text'} onPress={() => setLook('rules')}>
            By rule
          </ChoiceButton>
          <ChoiceButton is_pressed={look === 'text'} onPress={() => setLook('text')}>
            As text
          </ChoiceButton>
        </ChoiceBar>
      </div>
      {texts ? <TextDiff before={texts[0]} after={texts[1]} names={names} /> : <RuleChanges diff={diff} names={names} />}
    </div>
  );
}
