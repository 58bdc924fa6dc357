import { describe, expect, test } from 'vitest';
import { hasWitnesses, logOf, pinKeys, pinnedKeys, unpinKeys } from './pinned-keys.js';
import { forgetCheckpoint, rememberCheckpoint, rememberedCheckpoint } from './remembered-checkpoint.js';

/** What a browser keeps. */
class Kept {
  private readonly items = new Map<string, string>();
  getItem(name: string): string | null {
    return this.items.get(name) ?? null;
  }
  setItem(name: string, value: string): void {
    this.items.set(name, value);
  }
  removeItem(name: string): void {
    this.items.delete(name);
  }
  /** Every value replaced by this text. */
  damage(text: string): void {
    for (const name of this.items.keys()) this.items.set(name, text);
  }
}

const NOW = new Date('2026-11-27T12:00:00Z');
const keys = (log: string, witnesses: object[] = []) => JSON.stringify({ log, witnesses });
const BROKEN = ['', 'null', '{', '[1,null,{"text":1}]', '{"size":"x"}', '"text"', '{"vkey":1,"size":2}'];

describe('pinned keys', () => {
  test('are kept, one set a log: the newer one replaces the older', () => {
    const kept = new Kept();
    pinKeys(keys('a+1+x'), NOW, kept);
    pinKeys(keys('b+2+y', [{ key: 'w+3+z', checks: 'heads' }]), NOW, kept);
    pinKeys(keys('a+1+x', [{ key: 'v+4+z', checks: 'entries' }]), NOW, kept);
    expect(pinnedKeys(kept).map(logOf)).toEqual(['b+2+y', 'a+1+x']);
    expect(pinnedKeys(kept).map(hasWitnesses)).toEqual([true, true]);
    unpinKeys('b+2+y', kept);
    expect(pinnedKeys(kept).map(logOf)).toEqual(['a+1+x']);
    expect(pinnedKeys(kept)[0]?.pinned_at).toBe('2026-11-27T12:00:00.000Z');
  });

  test('are bounded: 20 logs, 20,000 characters', () => {
    const kept = new Kept();
    for (let n = 0; n < 20; n++) pinKeys(keys(`log${n}`), NOW, kept);
    expect(() => pinKeys(keys('one more'), NOW, kept)).toThrow('remove one first');
    expect(() => pinKeys(keys('x'.repeat(20_001)), NOW, kept)).toThrow(RangeError);
    pinKeys(keys('log3'), NOW, kept);
    expect(pinnedKeys(kept)).toHaveLength(20);
  });

  test.each(BROKEN)('a damaged store (%j) counts as none', (text) => {
    const kept = new Kept();
    pinKeys(keys('a'), NOW, kept);
    kept.damage(text);
    expect(pinnedKeys(kept)).toEqual([]);
  });
});

describe('the remembered checkpoint', () => {
  const seen = { vkey: 'a+1+x', size: 7, root: 'AAAA', note: 'n', seen_at: '2026-11-27T12:00:00.000Z' };
  const first = { size: 2, seen_at: '2026-11-20T12:00:00.000Z' };

  test('is kept with the first one of its chain, until it is forgotten', () => {
    const kept = new Kept();
    rememberCheckpoint({ ...seen, first }, kept);
    expect(rememberedCheckpoint(kept)).toEqual({ ...seen, first });
    forgetCheckpoint(kept);
    expect(rememberedCheckpoint(kept)).toBeUndefined();
  });

  test('begins its own chain where none is written', () => {
    const kept = new Kept();
    rememberCheckpoint(seen as never, kept);
    expect(rememberedCheckpoint(kept)?.first).toEqual({ size: 7, seen_at: seen.seen_at });
  });

  test.each(BROKEN)('a damaged store (%j) counts as none', (text) => {
    const kept = new Kept();
    rememberCheckpoint({ ...seen, first }, kept);
    kept.damage(text);
    expect(rememberedCheckpoint(kept)).toBeUndefined();
  });
});
