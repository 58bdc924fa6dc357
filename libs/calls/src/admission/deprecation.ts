import { deprecationNotice, type LifecycleEntry } from '@countersign/domain';
import type { Deprecation } from '../request/admitted-call.js';

export function deprecationOf(name: string, version: string, entry: LifecycleEntry): Deprecation {
  const { changed_at_ms, sunset_at_ms } = entry;
  return { warning: deprecationNotice(name, version, entry), changed_at_ms, sunset_at_ms };
}
