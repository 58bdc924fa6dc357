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

/** The positions of a header; what is no position is left out. */
export function parsePositions(text: string | undefined): LogPosition[] {
  if (text === undefined) return [];
  return text.split(',').flatMap((one) => {
    const match = ONE.exec(one.trim());
    return match ? [{ topic: match[1] as string, partition: Number(match[2]), offset: Number(match[3]) }] : [];
  });
}

/** What a request has seen (`Countersign-Position`), and how long it waits for that (`Prefer`). */
export const seenOf = (request: Pick<IncomingRequest, 'headers'>): Seen => ({
  positions: parsePositions(headerOf(request, 'countersign-position')),
  wait_ms: waitForOthers(headerOf(request, 'prefer')),
});

/** What /openapi.json says of the header that a list has where it may lack what its reader has seen. */
export const viewsHeader = described({
  'Countersign-Views':
    '`behind` if the views did not catch up with the log within a second, or within `Prefer: wait=N`: an item that is not found may still exist',
});

/** The header that says that a list may lack what its reader has seen; empty where the views have passed it. */
export async function behindHeader(views: Views, request: Pick<IncomingRequest, 'headers'>): Promise<Record<string, string>> {
  return (await views.current(seenOf(request))) ? {} : { 'countersign-views': 'behind' };
}
