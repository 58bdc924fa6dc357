import type { Values } from './port.js';

/** Words of the agent that a mapping may keep beside those of the system: resources and the summary of a request read them. */
const KEPT: readonly string[] = ['supplier', 'customer'];

/** Values without the words of the agent, for a system that names these fields otherwise. */
export function withoutAgentWords(values: Values): Values {
  return Object.fromEntries(Object.entries(values).filter(([name]) => !KEPT.includes(name)));
}
