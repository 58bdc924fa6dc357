/** Whose a secret is, in words. */
export function scopeWord({ scope, user_id }: { scope: string; user_id?: string | null }): string {
  if (scope === 'user') return user_id ?? 'you';
  return scope === 'workspace' ? 'this tenant' : 'the installation';
}

export const SCOPE_OPTIONS = [
  ['user', 'Only me'],
  ['workspace', 'This tenant'],
  ['org', 'The whole installation'],
] as const;
