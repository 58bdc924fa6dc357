import { callTopics, globalTopics, laneTopic, parseTopic } from '@countersign/contracts';

/** The lane of global topics. */
export const GLOBAL = 'global';

export function laneOf(topic: string): string {
  const parsed = parseTopic(topic);
  return (callTopics as readonly string[]).includes(parsed.topic) ? parsed.lane : GLOBAL;
}

/** The global topics that are folded. */
const foldedGlobals = globalTopics.filter((topic) => topic !== 'dead-letter' && topic !== 'trust-view');

export function topicsOf(lane: string): string[] {
  return lane === GLOBAL ? [...foldedGlobals] : callTopics.map((topic) => laneTopic(topic, lane));
}
