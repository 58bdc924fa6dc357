import type { PersonRelation } from '@countersign/contracts';
import { foldedSubject, type Identity, LOCAL_ISSUER, subjectOf } from './subject.js';

/** A recorded relation of two identities, used where people are excluded. */
export interface PersonLink {
  one: Identity;
  other: Identity;
  relation: PersonRelation;
}

/** A link with the offsets in configuration-changed between which it is in force. */
export interface LinkPeriod extends PersonLink {
  from_offset: number;
  /** Null: still in force. */
  until_offset: number | null;
}

export const NO_LINKS: readonly never[] = [];

/** The text key of an identity. `?`: the issuer is unknown, so no link names it, and it may be any identity of its subject. */
export const personKey = ({ issuer, id }: Identity): string => `${issuer === null ? '?' : encodeURIComponent(issuer)}|${foldedSubject(id)}`;

/** The identity of a name in `people`. */
export function identityOf(name: string): Identity {
  const at = name.indexOf('|');
  return at < 0 ? { issuer: LOCAL_ISSUER, id: name } : { issuer: name.slice(0, at), id: subjectOf(name) };
}

const pairOf = (one: string, other: string): string => JSON.stringify(one < other ? [one, other] : [other, one]);

/** The keys of the two identities of a link. */
function ends({ one, other }: PersonLink): [string, string] {
  return [personKey(one), personKey(other)];
}

interface Node {
  key: string;
  subject: string;
}

const nodeOf = (identity: Identity): Node => ({ key: personKey(identity), subject: foldedSubject(identity.id) });

/** Links, looked up by identity. */
interface Graph {
  /** Identity → identities that are linked with it as one person. */
  joined: ReadonlyMap<string, readonly Node[]>;
  /** Folded subject → identities that some `same` link names. */
  of_subject: ReadonlyMap<string, readonly Node[]>;
  /** Pairs of identities that a `different` link separates. */
  parted: ReadonlySet<string>;
}

function graphOf(links: readonly PersonLink[]): Graph {
  const [joined, of_subject, parted] = [new Map<string, Node[]>(), new Map<string, Node[]>(), new Set<string>()];
  const add = (to: Map<string, Node[]>, key: string, node: Node) => void to.set(key, [...(to.get(key) ?? []), node]);
  for (const link of links) {
    if (link.relation === 'different') parted.add(pairOf(...ends(link)));
    else
      for (const [here, there] of [
        [nodeOf(link.one), nodeOf(link.other)],
        [nodeOf(link.other), nodeOf(link.one)],
      ] as const) {
        add(joined, here.key, there);
        add(of_subject, here.subject, here);
      }
  }
  return { joined, of_subject, parted };
}

/** True if one node can be reached from another over these steps. */
function isReached(from: Node, to: Node, nextOf: (node: Node) => readonly Node[]): boolean {
  const seen = new Set([from.key]);
  const open = [from];
  for (let here = open.pop(); here; here = open.pop()) {
    if (here.key === to.key) return true;
    for (const next of nextOf(here)) {
      if (seen.has(next.key)) continue;
      seen.add(next.key);
      open.push(next);
    }
  }
  return false;
}

/**
 * True if two identities count as one person where people are excluded. Without links, identities with the same folded subject do. A `same`
 * link joins identities, over any number of steps. A `different` link separates two identities of one subject, unless `same` links join
 * them. One more `same` link never splits a person into two.
 */
export function isOnePerson(links: readonly PersonLink[], one: Identity, other: Identity): boolean {
  if (links.length === 0) return foldedSubject(one.id) === foldedSubject(other.id);
  const [a, b] = [nodeOf(one), nodeOf(other)];
  const { joined, of_subject, parted } = graphOf(links);
  const joinedTo = ({ key }: Node) => joined.get(key) ?? [];
  if (isReached(a, b, joinedTo)) return true;
  if (parted.has(pairOf(a.key, b.key))) return false;
  const alike = (here: Node) =>
    [...(of_subject.get(here.subject) ?? []), b].filter(
      ({ key, subject }) => subject === here.subject && !parted.has(pairOf(here.key, key)),
    );
  return isReached(a, b, (here) => [...joinedTo(here), ...alike(here)]);
}

/** True if one of these identities is the same person. */
export const includesOne = (links: readonly PersonLink[], others: readonly Identity[], who: Identity): boolean =>
  others.some((other) => isOnePerson(links, other, who));

/**
 * The links for a request made at an offset: the stricter of those in force then and those in force now. A `same` link counts if it was in
 * force at one of the two times, a `different` link only if its pair was separated at both.
 */
export function linksSince(periods: readonly LinkPeriod[], request_offset: number): readonly PersonLink[] {
  if (periods.length === 0) return NO_LINKS;
  const then = periods.filter(
    ({ from_offset, until_offset }) => from_offset <= request_offset && (until_offset === null || until_offset > request_offset),
  );
  const now = periods.filter(({ until_offset }) => until_offset === null);
  const parted = new Set(then.filter(({ relation }) => relation === 'different').map((link) => pairOf(...ends(link))));
  return [
    ...[...then, ...now].filter(({ relation }) => relation === 'same'),
    ...now.filter((link) => link.relation === 'different' && parted.has(pairOf(...ends(link)))),
  ];
}

/** A name for the person behind each identity, in the given order. Identities that count as one person get the same name. */
export function personsOf(links: readonly PersonLink[], identities: readonly Identity[]): string[] {
  const names: string[] = [];
  for (const [at, identity] of identities.entries()) {
    const known = new Set(names.filter((_, other) => isOnePerson(links, identities[other] as Identity, identity)));
    const [name = personKey(identity)] = known;
    names.forEach((other, of) => {
      if (known.has(other)) names[of] = name;
    });
    names[at] = name;
  }
  return names;
}
