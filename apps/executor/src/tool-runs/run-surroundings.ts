import type { Clock, Logger } from '@countersign/process';
import type { Blobs } from '@countersign/store';
import type { PatternSearch } from '@countersign/tool-kit/pattern-search/pattern-search';
import type { Credentials } from '../credentials/credentials.js';
import type { ProgressHints } from './progress-hints.js';

/** Dependencies that the runs of all tools share: logger, blobs and progress. */
export interface RunSurroundings {
  readonly logger: Logger;
  readonly clock: Clock;
  readonly blobs: Blobs;
  readonly progress: ProgressHints;
  readonly credentials: Credentials;
  readonly patterns: PatternSearch;
}
