import type { ConfigurationState } from '@countersign/domain';
import type { Clock, Configuration } from '@countersign/process';
import type { ConfigurationWriter } from '../identity/configuration-writer.js';

/** What the routes that read and change configuration share. */
export class ConfigurationRoom {
  constructor(
    private readonly configuration: Configuration,
    readonly writer: ConfigurationWriter,
    readonly clock: Clock,
    /** The lanes that this gateway serves. */
    readonly lanes: readonly string[],
  ) {}

  get state(): ConfigurationState {
    return this.configuration.state;
  }
}
