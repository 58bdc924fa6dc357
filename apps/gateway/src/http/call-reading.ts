import type { CallReading } from '@countersign/calls';

/** What was opened may be erased later: nobody on the way keeps it. */
export const readingHeaders = ({ was_sealed }: Pick<CallReading, 'was_sealed'>): Record<string, string> =>
  was_sealed ? { 'cache-control': 'no-store' } : {};
