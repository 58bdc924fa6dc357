import { Tag } from '../elements/status-badge.js';
import { wordFor } from '../elements/word-for.js';
import { EFFECTS, isWrite } from './effect-words.js';

/** What a tool does, by the class of its effect. */
export function EffectTag({ effect_class }: { effect_class: string }) {
  const tone = effect_class === 'commit_high' ? 'bad' : isWrite(effect_class) ? 'warn' : 'neutral';
  return <Tag tone={tone}>{wordFor(EFFECTS, effect_class)}</Tag>;
}
