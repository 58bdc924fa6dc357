import { fetch } from 'undici';
import { describe, expect, test } from 'vitest';
import type { JourneyWorld } from './journey-world.js';
import { order } from './journey-world.js';

interface Report {
  name: string;
  status: string;
  live: { build: string; asked_offset: number | null } | null;
  building: { records: number; records_total: number } | null;
}
interface Line {
  id: string;
  type: string;
  data: Record<string, unknown>;
}

/** Reads a stream of server-sent events until `enough`. */
async function lines(at: JourneyWorld, path: string, enough: (lines: Line[]) => boolean, lastEventId?: string): Promise<Line[]> {
  const stop = new AbortController();
  const headers = { authorization: `Bearer ${at.agent.key}`, ...(lastEventId ? { 'last-event-id': lastEventId } : {}) };
  const response = await fetch(`${at.agent.base}${path}`, { headers, signal: stop.signal });
  const found: Line[] = [];
  let text = '';
  const timer = setTimeout(() => stop.abort(), 40_000);
  try {
    for await (const chunk of response.body as AsyncIterable<Uint8Array>) {
      text += Buffer.from(chunk).toString();
      for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
        const fields = new Map(
          text
            .slice(0, end)
            .split('\n')
            .map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 2)]),
        );
        text = text.slice(end + 2);
        if (fields.has('data'))
          found.push({ id: fields.get('id') ?? '', type: fields.get('event') ?? '', data: JSON.parse(fields.get('data') ?? '') });
      }
      if (enough(found)) break;
    }
  } finally {
    clearTimeout(timer);
    stop.abort();
  }
  return found;
}

const ROUNDS_MAX = 4;

/** Projections of the log, watched and rebuilt through the product. */
export function describeProjectionJourneys(at: JourneyWorld): void {
  describe('projections', () => {
    test('one is rebuilt while it is read, and then has the same rows', async () => {
      const operator = await at.admin.keyFor('user', 'oscar', ['operator']);
      const read = (name: string) => operator.request<Report>('GET', `/v1/projections/${name}`);
      const digest = async () =>
        (await operator.request<{ tables: { digest: string; rows: number }[] }>('GET', '/v1/projections/security/digest')).body.tables;
      const listed = await operator.request<{ items: Report[] }>('GET', '/v1/projections');
      expect(listed.body.items.map(({ name }) => name)).toEqual(
        expect.arrayContaining(['approval-inbox', 'call', 'case-history', 'saga', 'security', 'trust', 'usage']),
      );
      // Refusals of earlier journeys are recorded up to a second later: a round with new rows does not count.
      for (let rounds = 1; ; rounds++) {
        const before = await digest();
        const build = (await read('security')).body.live?.build;
        const requested = await operator.request<{ asked_offset: number }>('POST', '/v1/projections/security/rebuild');
        expect(requested.status).toBe(202);
        for (const end = performance.now() + 20_000; performance.now() < end; await new Promise((resolve) => setTimeout(resolve, 100))) {
          if (((await read('security')).body.live?.asked_offset ?? -1) >= requested.body.asked_offset) break;
        }
        const { live, status } = (await read('security')).body;
        expect([live?.asked_offset, status, live?.build === build]).toEqual([requested.body.asked_offset, 'live', false]);
        const after = await digest();
        if (rounds < ROUNDS_MAX && after.some(({ rows }, table) => rows !== before[table]?.rows)) continue;
        expect(after).toEqual(before);
        return;
      }
    });

    test('an unknown one is a 404, and only operators of the installation have access', async () => {
      expect((await at.admin.request('POST', '/v1/projections/nothing/rebuild')).status).toBe(404);
      expect((await at.agent.request('POST', '/v1/projections/call/rebuild')).status).toBe(403);
    });

    test('security events are listed for auditors, with principal and call', async () => {
      const auditor = await at.admin.keyFor('user', 'iris', ['auditor']);
      const answer = await auditor.request<{ items: unknown[]; next_cursor: string | null }>('GET', '/v1/security-events?limit=5');
      expect(answer.status).toBe(200);
      expect(Array.isArray(answer.body.items)).toBe(true);
      expect((await auditor.request('GET', '/v1/security-events?call_id=nonsense')).body).toMatchObject({ items: [] });
      expect((await at.agent.request('GET', '/v1/security-events')).status).toBe(403);
    });

    test('the history of a case is streamed, and a broken stream continues where it ended', async () => {
      const { case_id } = (await at.agent.request<{ case_id: string }>('POST', '/v1/cases', { title: 'Watched' })).body;
      const path = `/v1/cases/${case_id}/events`;
      const watching = lines(at, path, (found) => found.some(({ type }) => type === 'tool_call_complete'));
      await at.agent.call({ tool: 'probe_http_effect', inputs: order(), case_id });
      const first = await watching;
      expect(first.map(({ type }) => type)).toEqual(['case_opened', 'tool_call_pending', 'policy_decided', 'tool_call_complete']);
      expect(first[1]?.data).toMatchObject({ case_id, tool: 'probe_http_effect', inputs: { amount: 7 } });
      await at.agent.call({ tool: 'probe_http_effect', inputs: order(), case_id });
      const more = await lines(at, path, (found) => found.some(({ type }) => type === 'tool_call_complete'), first.at(-1)?.id);
      expect(more.map(({ type }) => type)).toEqual(['tool_call_pending', 'policy_decided', 'tool_call_complete']);
      expect(more[0]?.data.call_id).not.toBe(first[1]?.data.call_id);
      expect((await at.agent.request('GET', '/v1/cases/nothing/events')).status).toBe(404);
    });
  });
}
