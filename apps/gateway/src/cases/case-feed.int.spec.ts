import type { Timed } from '@countersign/calls';
import { type CaseHistoryWrite, insertCaseHistory, PgliteStore, type Row, type Statement, stableTables } from '@countersign/store';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { CaseFeeds } from './case-feed.js';
import { type CaseOut, CaseStream } from './case-stream.js';

let store: PgliteStore;
beforeAll(async () => {
  store = await PgliteStore.open({ memory: true });
}, 60_000);
afterAll(() => store.close());

const START_US = 1_700_000_000_000_000;
const event_id = (n: number) => `00000000-0000-7000-8000-${n.toString(16).padStart(12, '0')}`;
let case_id = '';
let cases = 0;

const line = (n: number, hlc = START_US + n * 1_000): CaseHistoryWrite => ({
  tenant_id: 'acme',
  case_id,
  hlc,
  event_id: event_id(n),
  seq: 0,
  type: 'case_opened',
  at_ms: hlc / 1_000,
  call_id: null,
  detail_json: '{}',
});

const tables = stableTables(['case_history']);
const record = async (...lines: CaseHistoryWrite[]) => {
  await store.query(tables.bind(insertCaseHistory(lines)));
};

class Turns {
  private readonly items = new Set<Timed>();
  add(item: Timed): void {
    this.items.add(item);
    item.slot = 1;
  }
  remove(item: Timed): void {
    this.items.delete(item);
    item.slot = null;
  }
  get size(): number {
    return this.items.size;
  }
  /** Runs one poll of every feed to its end. */
  async over(): Promise<void> {
    const due = [...this.items];
    for (const item of due) this.remove(item);
    for (const item of due) item.due();
    while (this.items.size < due.length) await new Promise((resolve) => setTimeout(resolve, 2));
  }
}

class Reader implements CaseOut {
  over = false;
  reason: string | undefined;
  /** Id of the last received line, and the lines. */
  last_id: string | undefined;
  readonly lines: string[] = [];
  private leave: (() => void) | undefined;
  write(text: string | Promise<string>): void {
    const [, id, type] = /^id: (.*)\nevent: (.*)\n/.exec(text as string) ?? [];
    this.last_id = id;
    this.lines.push(`${type} ${/"event_id":"[^"]*-0*([0-9a-f]+)"/.exec(text as string)?.[1]}`);
  }
  waitForCapacity(): boolean {
    return !this.over;
  }
  close(reason: string): void {
    this.reason = reason;
    this.disconnect();
  }
  disconnect(): void {
    this.over = true;
    this.leave?.();
  }
  whenLeft(leave: () => void): void {
    this.leave = leave;
  }
}

let wheel: Turns;
let feeds: CaseFeeds;
let reads: number;
let fails: boolean;
/** Runs once between a read and its answer. */
let meanwhile: (() => Promise<void>) | undefined;

beforeEach(() => {
  case_id = event_id(0xca5e0000 + ++cases);
  [wheel, reads, fails, meanwhile] = [new Turns(), 0, false, undefined];
  feeds = new CaseFeeds({ sql, wheel, readable: { text: (_tenant: string, text: string) => text } });
});

const sql = {
  async query<R extends Row>(statement: Statement): Promise<R[]> {
    reads++;
    if (fails) throw new Error('the store is unavailable');
    const rows = await store.query<R>(statement);
    const then = meanwhile;
    meanwhile = undefined;
    await then?.();
    return rows;
  },
};

async function open(lastEventId?: string): Promise<Reader> {
  const reader = new Reader();
  const of = { tenant_id: 'acme', case_id };
  const stream = new CaseStream(sql, reader, { ...of, reader: { clearances: [] } }, lastEventId);
  await feeds.open(stream, of, (leave) => reader.whenLeft(leave));
  return reader;
}

const numbers = (...of: number[]) => of.map((n) => `case_opened ${n.toString(16)}`);

describe('streams of a case', () => {
  test('one poll serves all of them: the number of queries does not grow with their number', async () => {
    await record(line(1), line(2));
    const cost = async (streams: number) => {
      const readers: Reader[] = [];
      for (let i = 0; i < streams; i++) readers.push(await open());
      const joined = reads;
      for (let turn = 0; turn < 5; turn++) await wheel.over();
      const idle = reads - joined;
      for (const reader of readers) reader.disconnect();
      expect([feeds.size, wheel.size]).toEqual([0, 0]);
      return idle;
    };
    expect([await cost(1), await cost(200)]).toEqual([5, 5]);
  });

  test('every reader gets every line once, in record order, from any starting point', async () => {
    await record(line(1), line(2));
    const first = await open();
    await record(line(3));
    const second = await open();
    await record(line(4));
    await wheel.over();
    await wheel.over();
    expect(first.lines).toEqual(numbers(1, 2, 3, 4));
    expect(second.lines).toEqual(numbers(1, 2, 3, 4));
    const again = await open(first.last_id);
    await record(line(5));
    await wheel.over();
    expect(again.lines).toEqual(numbers(5));
  });

  test('a late line that sorts before others is sent once to all readers', async () => {
    await record(line(1), line(10));
    const readers = [await open(), await open()];
    await record(line(5));
    await wheel.over();
    await wheel.over();
    expect(readers.map(({ lines }) => lines)).toEqual([numbers(1, 10, 5), numbers(1, 10, 5)]);
  });

  test('a line that arrives during a join is not lost, whoever has read it first', async () => {
    await record(line(1));
    const first = await open();
    const before = reads;
    // The second reader has read but not joined yet; the feed reads the new line and sends it to the first.
    meanwhile = async () => {
      await record(line(2));
      await wheel.over();
    };
    const second = await open();
    expect(reads - before).toBeGreaterThan(1);
    await wheel.over();
    expect([first.lines, second.lines]).toEqual([numbers(1, 2), numbers(1, 2)]);
  });

  test('a long history is read page by page and sent completely', async () => {
    const all = Array.from({ length: 1_203 }, (_, n) => line(n + 1, START_US + n * 20_000));
    for (let at = 0; at < all.length; at += 400) await record(...all.slice(at, at + 400));
    const reader = await open();
    expect([reader.lines.length, new Set(reader.lines).size]).toEqual([1_203, 1_203]);
    expect(reads).toBeLessThan(12);
  });

  test('an unavailable store closes streams in their backlog; the others wait and miss nothing', async () => {
    await record(line(1));
    const reader = await open();
    fails = true;
    expect((await open()).reason).toBe('unavailable');
    await wheel.over();
    await record(line(2));
    fails = false;
    await wheel.over();
    expect([reader.over, reader.lines]).toEqual([false, numbers(1, 2)]);
  });
});
