import type { Schemas } from '../gateway/schemas.js';

/** A change of a tool, as its security event reports it. */
export interface DriftEvent {
  event_id: string;
  tool: string;
  state: string;
  why: string;
  at: string;
}

const text = (value: unknown): string => (typeof value === 'string' ? value : '');

function detailOf(detail: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(detail);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}

/** The changes of tools of one upstream, in the order of the events. Events that cannot be read are left out. */
export function driftOf(events: readonly Schemas['SecurityEvent'][], upstream: string): DriftEvent[] {
  return events.flatMap(({ event_id, detail, at }) => {
    const said = detailOf(detail);
    if (said.upstream !== upstream || text(said.tool) === '') return [];
    return [{ event_id, tool: text(said.tool), state: text(said.state), why: text(said.why), at }];
  });
}
