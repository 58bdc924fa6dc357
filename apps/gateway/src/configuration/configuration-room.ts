import type { ConfigurationState } from '@countersign/domain';
import type { AddressRules } from '@countersign/outbound';
import type { Clock, Configuration } from '@countersign/process';
import { SILENCE_MAX_MS } from '../identity/authenticator.js';
import type { ConfigurationWriter } from '../identity/configuration-writer.js';
import { ConfigurationEdits } from './configuration-edits.js';

/** What the routes that read and change configuration share. */
export class ConfigurationRoom {
  readonly edits: ConfigurationEdits;

  constructor(
    private readonly configuration: Configuration,
    readonly writer: ConfigurationWriter,
    readonly clock: Clock,
    private readonly terms: { lanes: readonly string[]; identity_addresses: AddressRules },
  ) {
    this.edits = new ConfigurationEdits(configuration, writer);
  }

  /** The lanes that this gateway serves. */
  get lanes(): readonly string[] {
    return this.terms.lanes;
  }

  /** Where identity providers and token endpoints may be. */
  get identity_addresses(): AddressRules {
    return this.terms.identity_addresses;
  }

  /** Whether this gateway has not read the configuration for so long that it may lack a revocation. */
  get is_stale(): boolean {
    return this.configuration.silenceMs('configuration-changed') > SILENCE_MAX_MS;
  }

  get state(): ConfigurationState {
    return this.configuration.state;
  }
}
