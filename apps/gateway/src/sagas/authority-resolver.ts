/** Injection token of the AuthorityResolver. */
export const AUTHORITY_RESOLVER = Symbol('authority resolver');
