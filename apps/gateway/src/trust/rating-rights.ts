import type { Caller } from '@countersign/calls';
import { type ConfigurationState, keysOf, LOCAL_PROVIDER } from '@countersign/domain';

/**
 * The principal that a rating counts for: the user that an agent acts for, else its owner, else the principal itself. So each person has
 * one rating.
 */
export function raterOf(config: ConfigurationState, { tenant_id, principal, authority }: Caller): string {
  if (authority.on_behalf_of) return `user:${authority.on_behalf_of.id}`;
  const owner = keysOf(config, tenant_id).find((key) => key.owner !== null && sameOwn(key.principal, principal))?.owner;
  return owner ? `user:${owner}` : `${principal.kind}:${principal.id}`;
}

const sameOwn = (a: { kind: string; id: string }, b: { kind: string; id: string }): boolean => a.kind === b.kind && a.id === b.id;

/**
 * Why the caller may not rate a tool of this provider, or undefined. Excluded are the provider, the owner of an agent of the
 * provider, and, for tools of this installation, tool authors.
 */
export function ownTool(config: ConfigurationState, caller: Caller, provider: string): string | undefined {
  const rater = raterOf(config, caller);
  const person = rater.slice(rater.indexOf(':') + 1);
  if (caller.principal.id === provider || person === provider) return 'you cannot rate your own tool';
  if (provider !== LOCAL_PROVIDER) return undefined;
  const keys = keysOf(config, caller.tenant_id);
  const author = keys.some(({ principal }) => principal.id === person && principal.roles.includes('tool_author'));
  return author || caller.principal.roles.includes('tool_author') ? 'tool authors cannot rate tools of their own installation' : undefined;
}
