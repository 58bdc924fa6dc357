import type { CredentialUse } from '@countersign/contracts';
import { Masker } from '@countersign/outbound';
import { type SecretSource, ToolError } from '@countersign/tool-kit';

/** One credential of a run. */
export interface Credential extends CredentialUse {
  value: string;
  /** Further values to mask: the user token and the client secret behind an exchanged token. */
  behind: readonly string[];
}

/** The credentials of a run, resolved before it starts, and the masker that removes them from everything that the run returns. */
export class ResolvedCredentials implements SecretSource {
  readonly masker: Masker;
  readonly uses: CredentialUse[];
  readonly warnings: string[];

  /** @param owner the user whose own credentials count first */
  constructor(
    private readonly credentials: readonly Credential[],
    private readonly owner: string | null = null,
  ) {
    this.masker = new Masker(credentials.flatMap(({ value, behind }) => [value, ...behind]));
    this.uses = credentials.map(({ name, scope, version }) => ({ name, scope, version }));
    this.warnings = credentials
      .filter(({ scope }) => scope === 'org')
      .map(({ name }) => `the secret ${name} is set for the whole installation only: set it for this workspace`);
  }

  /** The user whose credentials are among them; null: all are of the workspace or the installation. */
  get user_id(): string | null {
    return this.credentials.some(({ scope }) => scope === 'user' || scope === 'exchanged') ? this.owner : null;
  }

  async get(name: string): Promise<string> {
    const found = this.credentials.find((one) => one.name === name);
    if (!found) throw new ToolError('AUTH_REQUIRED', `the tool did not declare the secret ${JSON.stringify(name)}`);
    return found.value;
  }
}
