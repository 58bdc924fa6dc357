import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Taken } from '@countersign/calls';
import { EmbeddedEventLog } from '@countersign/event-log';
import { topicSpecs } from '@countersign/process';
import { PgliteStore } from '@countersign/store';
import type { Notification } from '../notifications/notification.js';
import { NotificationLife, recordDenial } from './notification-life.js';

/** A log of one test and a store of one spec file, for gateways that send notifications. */
export class NoticeRig {
  private dir = '';
  log!: EmbeddedEventLog;

  private constructor(readonly store: PgliteStore) {}

  static async open(): Promise<NoticeRig> {
    return new NoticeRig(await PgliteStore.open({ memory: true }));
  }

  /** Begins a test: an empty log, and no claims. */
  async begin(): Promise<void> {
    await this.store.query({ text: 'DELETE FROM notice_claims', params: [] });
    this.dir = await mkdtemp(join(tmpdir(), 'countersign-notices-'));
    this.log = await EmbeddedEventLog.open({ dir: this.dir });
    await this.log.ensureTopics(topicSpecs(['shared'], 1));
  }

  async end(): Promise<void> {
    await this.log.close();
    await rm(this.dir, { recursive: true, force: true });
  }

  close(): Promise<void> {
    return this.store.close();
  }

  newLife(answer: (notification: Notification) => Taken): NotificationLife {
    return new NotificationLife({ log: this.log, store: this.store }, answer);
  }

  deny(event_id: string, tenant_id?: string): Promise<unknown> {
    return recordDenial(this.log, event_id, tenant_id);
  }
}
