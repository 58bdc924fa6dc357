import type { ConfigurationState } from '@countersign/domain';
import type { Clock, Configuration } from '@countersign/process';
import type { ConfigurationWriter } from '../identity/configuration-writer.js';
import { ConfigurationEdits } from './configuration-edits.js';

/** What the routes that read and change configuration share. */
export class ConfigurationRoom {
  readonly edits: ConfigurationEdits;

  constructor(
    private readonly configuration: Configuration,
    readonly writer: ConfigurationWriter,
    readonly clock: Clock,
    private readonly terms: { lanes: readonly string[]; allow_private: boolean },
  ) {
    this.edits = new ConfigurationEdits(configuration, writer);
  }

  /** The lanes that this gateway serves. */
  get lanes(): readonly string[] {
    return this.terms.lanes;
  }

  /** Identity providers and token endpoints may be at private addresses. */
  get allow_private(): boolean {
    return this.terms.allow_private;
  }

  get state(): ConfigurationState {
    return this.configuration.state;
  }
}
