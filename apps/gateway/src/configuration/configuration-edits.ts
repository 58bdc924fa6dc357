import { Refusal } from '@countersign/calls';
import type { EventType } from '@countersign/contracts';
import { baseOf, type ConfigurationEvent, type ConfigurationState, isPresent, NEVER_SET, versionOfItem } from '@countersign/domain';
import type { Configuration } from '@countersign/process';
import type { LogPosition } from '@countersign/store';
import type { ChangeFields, ConfigurationWriter } from './configuration-writer.js';
import { type ConditionalRequest, preconditionOf } from './precondition.js';
import { TenantTurns } from './tenant-turns.js';

/** Each round one of the concurrent changes succeeds, so an edit fails only if at least this many gateways compete. */
const ROUNDS_MAX = 20;

/** An edit of one item of the configuration. */
export interface Edit<T extends ConfigurationEvent & EventType> {
  tenant_id: string;
  type: T;
  /** The name of the edited item (itemNames): `If-Match` refers to it. */
  item: string;
  /** Further items that the edit is checked against, with their current versions. */
  against?: () => readonly string[];
  /** Whether the item exists, if its version alone does not show it (defaults, cases). */
  exists?: () => boolean;
  /** Validates the edit against the current configuration and builds its event. Runs again if the configuration changed meanwhile. */
  draft(): ChangeFields<T> | Refusal | Promise<ChangeFields<T> | Refusal>;
}

/** An edit that took effect. */
export interface Edited<T extends ConfigurationEvent & EventType> {
  fields: ChangeFields<T>;
  position: LogPosition;
  /** The ETag of the item after this edit. */
  etag: string;
}

/** For items that every tenant has by default. */
export const always = (): true => true;

/** The version of an item as its `ETag`. */
export const etagOfVersion = (version: number): string => `"c${version}"`;

/**
 * Edits the configuration without lost updates. One gateway serializes the edits of a tenant; between gateways the log decides: an edit
 * takes effect only if nothing that it was checked against has changed.
 */
export class ConfigurationEdits {
  private readonly turns = new TenantTurns();

  constructor(
    private readonly configuration: Pick<Configuration, 'state'>,
    private readonly writer: Pick<ConfigurationWriter, 'change'>,
  ) {}

  private get state(): ConfigurationState {
    return this.configuration.state;
  }

  /** The current ETag of an item. */
  etag(tenant_id: string, item: string): string {
    return etagOfVersion(versionOfItem(this.state.changes, tenant_id, item));
  }

  /**
   * Makes an edit in its tenant's turn. 412 if `If-Match` names another version; without it, the edit is checked and written again after a
   * conflict.
   */
  edit<T extends ConfigurationEvent & EventType>(request: ConditionalRequest, edit: Edit<T>): Promise<Edited<T> | Refusal> {
    return this.turns.take(edit.tenant_id, () => this.rounds(request, edit));
  }

  private async rounds<T extends ConfigurationEvent & EventType>(request: ConditionalRequest, edit: Edit<T>): Promise<Edited<T> | Refusal> {
    const { tenant_id, type, item } = edit;
    for (let round = 0; round < ROUNDS_MAX; round++) {
      const versions = baseOf(this.state.changes, tenant_id, [item, ...(edit.against?.() ?? [])]);
      const { is_sent, fault } = preconditionOf(request, this.etag(tenant_id, item), this.exists(edit));
      if (fault) return fault;
      const fields = await edit.draft();
      if (fields instanceof Refusal) return fields;
      const position = await this.writer.change(tenant_id, type, fields, { versions, is_required: is_sent });
      // An item may have no version yet (a case, while an instance of an older build runs).
      const is_versioned = position && versionOfItem(this.state.changes, tenant_id, item) !== NEVER_SET;
      if (position) return { fields, position, etag: etagOfVersion(is_versioned ? position.offset : NEVER_SET) };
    }
    return new Refusal('conflict', `the resource was changed ${ROUNDS_MAX} times while this change was made: nothing was changed, retry`, {
      reason: 'changed_concurrently',
    });
  }

  private exists({ tenant_id, item, exists }: Pick<Edit<never>, 'tenant_id' | 'item' | 'exists'>): boolean {
    return exists?.() ?? isPresent(versionOfItem(this.state.changes, tenant_id, item));
  }
}
