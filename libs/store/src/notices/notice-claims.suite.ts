import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import type { Store } from '../store.js';
import { claimNotice, forgetNotices, releaseNotices, settleNotice } from './notice-claims.js';

/** Which process sends a notice to a channel. */
export function describeNoticeClaims(store: () => Store): void {
  describe('notice claims', () => {
    const place = () => ({ notice_id: randomUUID(), webhook_id: 'w' });
    const by = (owner: string, for_ms = 60_000) => ({ owner, for_ms });

    test('of many concurrent claims one wins, and none wins after the notice is sent', async () => {
      const one = place();
      const claims = await Promise.all(Array.from({ length: 20 }, (_, i) => claimNotice(store(), one, by(`g${i}`))));
      expect(claims.filter((answer) => answer === 'mine')).toHaveLength(1);
      expect(claims.filter((answer) => answer === 'others')).toHaveLength(19);
      const owner = `g${claims.indexOf('mine')}`;
      expect(await claimNotice(store(), one, by(owner))).toBe('mine');
      await settleNotice(store(), one, owner);
      expect(await claimNotice(store(), one, by(owner))).toBe('settled');
      expect(await claimNotice(store(), { ...one, webhook_id: 'other' }, by('g0'))).toBe('mine');
    });

    test('another process takes over an expired claim, and the former owner can no longer settle it', async () => {
      const one = place();
      expect(await claimNotice(store(), one, by('expired', 50))).toBe('mine');
      expect(await claimNotice(store(), one, by('next'))).toBe('others');
      await sleep(80);
      expect(await claimNotice(store(), one, by('next'))).toBe('mine');
      await settleNotice(store(), one, 'expired');
      expect(await claimNotice(store(), one, by('third'))).toBe('others');
      await forgetNotices(store());
      expect(await claimNotice(store(), one, by('third'))).toBe('others');
      await releaseNotices(store(), 'next');
      expect(await claimNotice(store(), one, by('third'))).toBe('mine');
    });
  });
}
