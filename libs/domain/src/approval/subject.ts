/** Who vouches for a principal that has a key of this installation. */
export const LOCAL_ISSUER = 'local';

/** A voter as rights name them. `issuer` null: a record from before issuers were kept. */
export interface Identity {
  issuer: string | null;
  id: string;
}

/** The name of a person in `people` of a rule: a bare id is local, any other is `<issuer>|<subject>`. */
export function qualifiedName({ issuer, id }: Identity): string {
  const bare = (issuer === null || issuer === LOCAL_ISSUER) && !id.includes('|');
  return bare ? id : `${issuer ?? LOCAL_ISSUER}|${id}`;
}

/** The subject of a qualified name. */
export const subjectOf = (name: string): string => (name.includes('|') ? name.slice(name.indexOf('|') + 1) : name);

/** Whether `people` names this person. */
export const isNamed = (people: readonly string[], who: Identity): boolean => people.includes(qualifiedName(who));

/**
 * The key of a person where people are excluded: the subject alone, normalized (NFKC, lower case, no outer space),
 * whoever vouches for it. So one person with a local key and an account elsewhere counts once.
 */
export function foldedSubject(id: string): string {
  return id.normalize('NFKC').trim().toLowerCase();
}
