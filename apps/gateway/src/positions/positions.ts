import type { Seen, Views } from '@countersign/calls';
import type { LogPosition } from '@countersign/store';
import { described } from '../http/answer.decorator.js';
import { headerOf, type IncomingRequest } from '../http/reply.js';
import { waitForOthers } from '../requests/preferences.js';

const ONE = /^([a-z][a-z0-9.-]*):(\d{1,5}):(\d{1,15})$/;

/** `Countersign-Position`: `<topic>:<partition>:<offset>`, several separated by commas. */
export function positionText(at: LogPosition): string {
  return `${at.topic}:${at.partition}:${at.offset}`;
}

/** Parses the positions of a header; skips invalid ones. */
export function parsePositions(text: string | undefined): LogPosition[] {
  if (text === undefined) return [];
  return text.split(',').flatMap((one) => {
    const match = ONE.exec(one.trim());
    return match ? [{ topic: match[1] as string, partition: Number(match[2]), offset: Number(match[3]) }] : [];
  });
}

/** The positions that a request has seen (`Countersign-Position`), and how long it waits for them (`Prefer`). */
export const seenOf = (request: Pick<IncomingRequest, 'headers'>): Seen => ({
  positions: parsePositions(headerOf(request, 'countersign-position')),
  wait_ms: waitForOthers(headerOf(request, 'prefer')),
});

/** Documents the header of a list that may lack what its reader has seen. */
export const viewsHeader = described({
  'Countersign-Views':
    '`behind` if the views did not catch up with the log within a second, or within `Prefer: wait=N`: an item that is not found may still exist',
});

/** The header for a list that may lack what its reader has seen; empty if the views are up to date. */
export async function behindHeader(views: Views, request: Pick<IncomingRequest, 'headers'>): Promise<Record<string, string>> {
  return (await views.current(seenOf(request))) ? {} : { 'countersign-views': 'behind' };
}
