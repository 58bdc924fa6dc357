import {
  claimNotice,
  forgetNotices,
  type NoticeClaim,
  type NoticePlace,
  releaseNotices,
  type Store,
  settleNotice,
} from '@countersign/store';

/** Old claims are removed after this many new ones. */
const FORGET_EVERY = 1_000;

/**
 * This gateway's claims of notifications: only one gateway sends a notification to a channel. All methods reject if the store is
 * unavailable.
 */
export class NotificationClaims {
  private made = 0;

  constructor(
    private readonly store: Pick<Store, 'query'>,
    private readonly owner: string,
  ) {}

  async claim(place: NoticePlace, for_ms: number): Promise<NoticeClaim> {
    if (this.made++ % FORGET_EVERY === 0) await forgetNotices(this.store);
    return claimNotice(this.store, place, { owner: this.owner, for_ms });
  }

  settle(place: NoticePlace): Promise<void> {
    return settleNotice(this.store, place, this.owner);
  }

  release(): Promise<void> {
    return releaseNotices(this.store, this.owner);
  }
}
