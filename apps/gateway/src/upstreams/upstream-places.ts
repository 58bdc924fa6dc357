import { Refusal } from '@countersign/calls';
import type { AddressRules } from '@countersign/outbound';

const refused = (path: string, message: string): Refusal =>
  new Refusal('invalid-request', `the upstream is refused: ${message}`, { issues: [{ path, code: 'refused', message }] });

/** Where upstreams may be: addresses that the platform may reach, and commands of the installation. */
export class UpstreamPlaces {
  constructor(
    private readonly addresses: AddressRules,
    /** Names of the commands in COUNTERSIGN_UPSTREAM_COMMANDS. */
    private readonly commands: ReadonlySet<string>,
  ) {}

  /** The names of the commands, sorted. */
  get names(): string[] {
    return [...this.commands].sort();
  }

  /** Why a tenant may not use this place; undefined: it may. */
  fault({ url, command }: { url?: string | undefined; command?: string | undefined }): Refusal | undefined {
    if (url !== undefined) {
      const fault = this.addresses.fault(url);
      if (fault) return refused('/url', fault.message);
      return new URL(url).hash === '' ? undefined : refused('/url', 'an address has no fragment');
    }
    if (command !== undefined && !this.commands.has(command)) return refused('/command', 'the installation has no command of this name');
    return undefined;
  }
}
