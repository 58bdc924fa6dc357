import { randomBytes } from 'node:crypto';
import { DEFAULT_TENANT, type Principal, sha256Hex, uuidv7 } from '@countersign/contracts';
import { type ConfigurationState, isUsable, type SignInLink } from '@countersign/domain';
import type { ConfigurationWriter } from '../configuration/configuration-writer.js';
import { skeletonOf } from '../identity/look-alike.js';

/** The person of an installation that nobody has set up yet. Its credential has no secret: it signs in by link only. */
export const YOU = { kind: 'user' as const, id: 'you', roles: ['approver', 'operator', 'policy_admin'] };

/** A link is valid for this time. */
export const LINK_LIVES_MS = 600_000;
/** No hash of a token is equal to it. */
const NO_HASH = '';

/** A new link. The token is shown once; only its hash is recorded. */
export interface NewLink {
  token: string;
  link_id: string;
  expires_at_ms: number;
}

interface Configured {
  readonly state: ConfigurationState;
  readonly writer: Pick<ConfigurationWriter, 'set'>;
  now_ms(): number;
}

/** Links that sign a person in once. Of several gateways that use one at the same time, the first on the log wins. */
export class SignInLinks {
  constructor(private readonly configuration: Configured) {}

  /** Makes a link for `you`, and `you` if that person has no valid credential. @throws InfrastructureFault */
  async make(by: Principal): Promise<NewLink> {
    const key_id = this.keyOfYou() ?? (await this.makeYou(by));
    const created_at_ms = this.configuration.now_ms();
    const token = `csl_${randomBytes(32).toString('base64url')}`;
    const made = { link_id: uuidv7(created_at_ms), expires_at_ms: created_at_ms + LINK_LIVES_MS };
    const fields = { ...made, token_hash: sha256Hex(token), key_id, by, created_at_ms };
    await this.configuration.writer.set(DEFAULT_TENANT, 'sign_in_link_set', fields);
    return { token, ...made };
  }

  /** The unused link of a token; undefined if there is none or it has expired. */
  of(token: string): SignInLink | undefined {
    const link = this.configuration.state.sign_in_links?.get(sha256Hex(token));
    return link && link.used_by === null && this.configuration.now_ms() < link.expires_at_ms ? link : undefined;
  }

  /** Uses a link for a session. @returns false if another session had it first. @throws InfrastructureFault */
  async use({ tenant_id, token_hash, link_id }: SignInLink, session_id: string): Promise<boolean> {
    await this.configuration.writer.set(tenant_id, 'sign_in_link_used', { link_id, session_id, used_at_ms: this.configuration.now_ms() });
    return this.configuration.state.sign_in_links?.get(token_hash)?.used_by === session_id;
  }

  private keyOfYou(): string | undefined {
    const { state } = this.configuration;
    for (const key of state.keys_by_id.values())
      if (key.tenant_id === DEFAULT_TENANT && key.key_hash === NO_HASH && key.principal.kind === YOU.kind && key.principal.id === YOU.id)
        if (isUsable(key, this.configuration.now_ms())) return key.key_id;
    return undefined;
  }

  private async makeYou(by: Principal): Promise<string> {
    const created_at_ms = this.configuration.now_ms();
    const key_id = uuidv7(created_at_ms);
    const rights = { scopes: [], clearances: ['*'], purposes: null, expires_at_ms: null, owner: null, only_if_first: false };
    const shown = { name: 'signs in by link', key_prefix: null, skeleton: skeletonOf(YOU.id) };
    const fields = { key_id, key_hash: NO_HASH, principal: YOU, ...rights, ...shown, created_at_ms, by };
    await this.configuration.writer.set(DEFAULT_TENANT, 'api_key_set', fields);
    return key_id;
  }
}

const LOOPBACK_HOSTS: ReadonlySet<string> = new Set(['127.0.0.1', 'localhost', '::1', '0.0.0.0', '::']);

/** The link for the browser of this machine; undefined if a gateway that listens on this host is not reachable on loopback. */
export function signInUrl(host: string, port: number, token: string): string | undefined {
  if (!LOOPBACK_HOSTS.has(host)) return undefined;
  const shown = host === 'localhost' ? host : host === '::1' ? '[::1]' : '127.0.0.1';
  return `http://${shown}:${port}/sign-in#link=${token}`;
}
