/** Issuer of principals that have a key of this installation. */
export const LOCAL_ISSUER = 'local';

/** The identity of a voter. `issuer` is null in records from before issuers were recorded. */
export interface Identity {
  issuer: string | null;
  id: string;
}

/** The name of a person in `people` of a rule: a bare id is local, any other is `<issuer>|<subject>`. */
export function qualifiedName({ issuer, id }: Identity): string {
  const bare = (issuer === null || issuer === LOCAL_ISSUER) && !id.includes('|');
  return bare ? id : `${issuer ?? LOCAL_ISSUER}|${id}`;
}

export const subjectOf = (name: string): string => (name.includes('|') ? name.slice(name.indexOf('|') + 1) : name);

/** True if `people` contains this person. */
export const isNamed = (people: readonly string[], who: Identity): boolean => people.includes(qualifiedName(who));

/**
 * The key of a person where people are excluded: the normalized subject (NFKC, lower case, trimmed), whatever the issuer. So a person with
 * a local key and an account elsewhere counts once.
 */
export function foldedSubject(id: string): string {
  return id.normalize('NFKC').trim().toLowerCase();
}
