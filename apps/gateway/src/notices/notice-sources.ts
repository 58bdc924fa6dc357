import type { Recorded } from '@countersign/event-log';
import { approvalNotice } from './approval-notices.js';
import type { Notice, NoticeSource } from './notice.js';

/** Everything that is told: a new kind of notice is its source here, and its topic in notices.consumer.ts. */
const sources: readonly NoticeSource[] = [approvalNotice];

export function noticeOf(at: Recorded): Notice | undefined {
  for (const source of sources) {
    const notice = source(at);
    if (notice) return notice;
  }
  return undefined;
}
