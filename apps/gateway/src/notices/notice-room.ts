import type { ConfigurationState } from '@countersign/domain';
import type { Clock } from '@countersign/process';
import type { ConfigurationWriter } from '../identity/configuration-writer.js';
import type { DecisionLinks } from './decision-link.js';
import type { SealedSecrets } from './sealed-secret.js';

/** What the routes of channels and decision links share. */
export class NoticeRoom {
  constructor(
    private readonly parts: { configuration: { state: ConfigurationState }; writer: ConfigurationWriter; clock: Clock },
    readonly secrets: SealedSecrets,
    readonly links: DecisionLinks,
    /** Lets channels be at loopback and private addresses. */
    readonly allow_private: boolean,
  ) {}

  get state(): ConfigurationState {
    return this.parts.configuration.state;
  }
  get writer(): ConfigurationWriter {
    return this.parts.writer;
  }
  get clock(): Clock {
    return this.parts.clock;
  }
}
