import type { ConfigurationState } from '@countersign/domain';
import type { AddressRules } from '@countersign/outbound';
import type { Clock, Configuration } from '@countersign/process';
import { SILENCE_MAX_MS } from '../configuration/configuration.service.js';
import type { ConfigurationWriter } from '../identity/configuration-writer.js';
import type { DecisionLinks } from './decision-link.js';
import type { SealedSecrets } from './sealed-secret.js';

/** What the routes of channels and decision links share. */
export class NoticeRoom {
  constructor(
    private readonly parts: { configuration: Configuration; writer: ConfigurationWriter; clock: Clock },
    readonly secrets: SealedSecrets,
    readonly links: DecisionLinks,
    /** Where channels may be. */
    readonly addresses: AddressRules,
  ) {}

  get state(): ConfigurationState {
    return this.parts.configuration.state;
  }
  /** Whether the configuration may lack a revocation: no link is followed by it. */
  get is_stale(): boolean {
    return this.parts.configuration.silenceMs('configuration-changed') > SILENCE_MAX_MS;
  }
  get writer(): ConfigurationWriter {
    return this.parts.writer;
  }
  get clock(): Clock {
    return this.parts.clock;
  }
}
