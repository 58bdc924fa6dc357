import { EFFECTS } from '../effects/effect-words.js';
import { type Classification, classificationFields, classificationOf, type EffectClass } from './classification.js';
import type { UpstreamTool } from './upstream.js';

/** What a person chose for one tool of many. */
export interface Choice {
  is_chosen: boolean;
  /** Of the tool that the person looked at: of one that was classified or described in another way since, nothing was chosen. */
  etag: string;
  effect_class: EffectClass;
  /** Empty: all inputs. */
  discriminating: string[];
}

export type Choices = ReadonlyMap<string, Choice>;

/** The API takes so many at once. */
export const CHOSEN_MAX = 200;

/** What the form has of a tool that the person has not changed: its class, or what its hints suggest. Not chosen: nothing of it is sent. */
export function untouched(tool: UpstreamTool): Choice {
  const { effect_class, discriminating } = classificationFields(tool, 'pinned');
  return { is_chosen: false, etag: tool.etag, effect_class, discriminating };
}

export function choiceOf(choices: Choices, tool: UpstreamTool): Choice {
  const choice = choices.get(tool.tool);
  return choice && choice.etag === tool.etag ? choice : untouched(tool);
}

/** A person who changes a row has chosen it. */
export const changed = (choices: Choices, tool: UpstreamTool, fields: Partial<Choice>): Choices =>
  new Map(choices).set(tool.tool, { ...choiceOf(choices, tool), is_chosen: true, ...fields });

/** Tools in which the scan found nothing: those with findings are chosen one by one. */
export const unflagged = (tools: readonly UpstreamTool[]): UpstreamTool[] => tools.filter(({ flags }) => flags.length === 0);

/** Chooses all of a list without findings, or none of it, with what the rows show. */
export const allChosen = (choices: Choices, tools: readonly UpstreamTool[], is_chosen: boolean): Choices =>
  (is_chosen ? unflagged(tools).slice(0, CHOSEN_MAX) : tools).reduce((all, tool) => changed(all, tool, { is_chosen }), choices);

export const chosenOf = (choices: Choices, tools: readonly UpstreamTool[]): UpstreamTool[] =>
  tools.filter((tool) => choiceOf(choices, tool).is_chosen).slice(0, CHOSEN_MAX);

/** The body for the chosen tools. Beside the effect and what identifies it, what was declared of a tool stays. */
export function chosenRequest(choices: Choices, tools: readonly UpstreamTool[]): Classification[] {
  return chosenOf(choices, tools).map((tool) => {
    const { effect_class, discriminating } = choiceOf(choices, tool);
    return classificationOf(tool, { ...classificationFields(tool, 'pinned'), effect_class, discriminating });
  });
}

/** The chosen tools by effect, in the order of risk, for a last look. */
export function byEffect(choices: Choices, tools: readonly UpstreamTool[]): { effect_class: string; names: string[] }[] {
  const chosen = chosenOf(choices, tools);
  const groups = Object.keys(EFFECTS).map((effect_class) => ({
    effect_class,
    names: chosen.filter((tool) => choiceOf(choices, tool).effect_class === effect_class).map(({ tool }) => tool),
  }));
  return groups.filter(({ names }) => names.length > 0);
}
