import type { PersonRelation } from '@countersign/contracts';
import { histories } from '@countersign/contracts/testing/histories';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { aCall, asks, person, RuledPartition } from '../testing/ruled-partition.js';
import { unansweredPart } from './answered.js';
import type { RequestedPart } from './part.js';
import { isOnePerson, type LinkPeriod, linksSince, type PersonLink } from './person-links.js';
import { requirementOf } from './requirement.js';
import { type Approval, openParts } from './state.js';
import type { Identity } from './subject.js';

const IDP = 'https://idp.example';
const local = (id: string): Identity => ({ issuer: 'local', id });
const corp = (id: string): Identity => ({ issuer: IDP, id });
const unknown = (id: string): Identity => ({ issuer: null, id });
const same = (one: Identity, other: Identity): PersonLink => ({ one, other, relation: 'same' });
const different = (one: Identity, other: Identity): PersonLink => ({ one, other, relation: 'different' });
const recorded = (link: PersonLink, from_offset: number, until_offset: number | null = null): LinkPeriod => ({
  ...link,
  from_offset,
  until_offset,
});

describe('whether two identities are one person', () => {
  test('without links, identities with the same folded subject are one person, whatever the issuer', () => {
    expect(isOnePerson([], local('Alice'), corp('ａlice '))).toBe(true);
    expect(isOnePerson([], local('alice'), corp('alice.smith'))).toBe(false);
  });

  test('`same` links join identities with different subjects, over several steps', () => {
    const links = [same(local('al'), corp('alice')), same(corp('alice'), local('smith'))];
    expect(isOnePerson(links, local('al'), local('smith'))).toBe(true);
    expect(isOnePerson(links, local('al'), corp('smith'))).toBe(true);
    expect(isOnePerson(links, local('al'), corp('bob'))).toBe(false);
  });

  test('a `different` link separates only its two identities of one subject, not a third one and not one with an unknown issuer', () => {
    const links = [different(local('alice'), corp('Alice'))];
    expect(isOnePerson(links, corp('alice'), local('alice'))).toBe(false);
    expect(isOnePerson(links, local('alice'), { issuer: 'https://other.example', id: 'alice' })).toBe(true);
    expect(isOnePerson(links, unknown('alice'), corp('alice'))).toBe(true);
  });

  test('a chain of `same` links overrides `different`', () => {
    const links = [different(local('a'), corp('a')), same(local('a'), local('b')), same(local('b'), corp('a'))];
    expect(isOnePerson(links, local('a'), corp('a'))).toBe(true);
  });

  test('a request uses the stricter of the links at the request and the current links', () => {
    const [joined, parted] = [same(local('a'), local('b')), different(local('c'), corp('c'))];
    const relations = (periods: LinkPeriod[]) => linksSince(periods, 10).map(({ relation }) => relation);
    expect(relations([recorded(parted, 10)])).toEqual(['different']);
    expect(relations([recorded(parted, 11)])).toEqual([]);
    expect(relations([recorded(parted, 5, 11)])).toEqual([]);
    expect(relations([recorded(parted, 5, 12), recorded(parted, 12)])).toEqual(['different']);
    expect(relations([recorded(joined, 11)])).toEqual(['same']);
    expect(relations([recorded(joined, 5, 11)])).toEqual(['same']);
    expect(relations([recorded(joined, 5, 10)])).toEqual([]);
  });
});

const part = (rule: string, more: Partial<RequestedPart['requirement']> = {}): RequestedPart => ({
  rule,
  requirement: { ...requirementOf(asks), ...more },
});

/** A request made at position 10 of configuration-changed. */
class Request {
  readonly policy = new RuledPartition();

  constructor(parts: readonly RequestedPart[], more: Parameters<RuledPartition['rule']>[2] = {}) {
    this.policy.rule('c1', { ...asks, parts }, { config_offset: 10, ...more });
  }

  /** Links at the time of the request. */
  knows(...links: PersonLink[]): this {
    this.policy.person_links = links.map((link) => recorded(link, 1));
    return this;
  }

  learns(...links: PersonLink[]): this {
    this.policy.person_links = [...this.policy.person_links, ...links.map((link) => recorded(link, 20))];
    return this;
  }

  approve({ issuer, id }: Identity, more: { vote?: 'approve' | 'delegate'; to?: string } = {}): string {
    const { vote = 'approve', ...fields } = more;
    const [type] = this.policy.vote('c1.1', person(id), vote, { voter_issuer: issuer, ...fields });
    return type === 'approval_vote_refused' ? this.policy.last('approval_vote_refused').code : (type as string);
  }

  get approval(): Approval {
    return this.policy.state.approvals.get('c1.1') as Approval;
  }
}

const [COUNTED, GRANTED] = ['approval_vote_counted', 'approval_granted'];
const authority = (agent_token_ref: string) => ({
  agent_token_ref,
  scopes: null,
  clearances: [],
  purposes: null,
  on_behalf_of: null,
  delegated_user_token_ref: null,
  delegation_id: null,
  sources: [],
  markings: [],
});

describe('a request for approval', () => {
  const two = [part('a', { quorum: 2 })];

  test('counts two linked identities once', () => {
    const request = new Request(two).knows(same(local('al'), corp('alice')));
    expect([request.approve(local('al')), request.approve(corp('alice')), request.approve(local('bob'))]).toEqual([
      COUNTED,
      'twice',
      GRANTED,
    ]);
  });

  test('counts two identities of one subject that a link separates as two persons, each once', () => {
    const request = new Request([part('a', { quorum: 3 })]).knows(different(local('alice'), corp('alice')));
    expect(request.approve(local('alice'))).toBe(COUNTED);
    expect(request.approve(local('Alice'))).toBe('twice');
    expect(request.approve(corp('alice'))).toBe(COUNTED);
    expect(request.approve(corp('ALICE'))).toBe('twice');
    expect(request.approve(local('bob'))).toBe(GRANTED);
    expect(request.policy.last('approval_granted').parts[0]?.approved_by).toEqual(['alice', `${IDP}|alice`, 'bob']);
  });

  test('a grant by two persons of one subject is valid while a link separates them, and no longer afterwards', () => {
    const links = [different(local('alice'), corp('alice'))];
    const request = new Request(two).knows(...links);
    request.approve(local('alice'));
    expect(request.approve(corp('alice'))).toBe(GRANTED);
    const { parts } = request.policy.last('approval_granted');
    expect(unansweredPart(two, parts, links)).toBeUndefined();
    expect(unansweredPart(two, parts)?.rule).toBe('a');
    expect(
      unansweredPart(two, [{ rule: 'a', asked: null, approved_by: ['al', 'bob'] } as never], [same(local('al'), local('bob'))])?.rule,
    ).toBe('a');
  });

  test('ignores separations that were recorded after the request', () => {
    const request = new Request(two).learns(different(local('alice'), corp('alice')));
    expect([request.approve(local('alice')), request.approve(corp('alice'))]).toEqual([COUNTED, 'twice']);
  });

  test('stops counting a vote whose voter is now linked to an earlier voter, and records that', () => {
    const request = new Request([part('a', { quorum: 3 })]);
    request.approve(local('al'));
    request.approve(corp('alice'));
    request.learns(same(local('al'), corp('alice')));
    expect(request.approve(local('bob'))).toBe(COUNTED);
    expect(request.policy.last('approval_vote_counted')).toMatchObject({ approvals: 2, parts: [{ approvals: 2, quorum: 3 }] });
    expect(request.approval.votes.map(({ voter_id }) => voter_id)).toEqual(['al', 'bob']);
    expect(openParts(request.approval)).toHaveLength(1);
    expect([request.approve(corp('alice')), request.approve(local('carl'))]).toEqual(['twice', GRANTED]);
  });

  test('drops a vote whose voter a later link excludes by four eyes; the fold agrees that the part is open', () => {
    const request = new Request(two);
    request.approve(local('al'));
    request.learns(same(local('al'), local('robot')));
    expect(request.approve(local('bob'))).toBe(COUNTED);
    expect(openParts(request.approval)).toHaveLength(1);
    expect(request.approve(local('al'))).toBe('four_eyes');
  });

  test('four eyes apply to identities linked with the requester, the owner or the user acted for', () => {
    const call = aCall({ authority: { ...authority('key:1'), on_behalf_of: person('uma') } });
    const links = ['robot', 'olga', 'uma'].map((id) => same(local(id), corp(`${id}.x`)));
    const request = new Request([part('a')], { call, barred: ['olga', 'uma'] }).knows(...links);
    for (const id of ['robot', 'olga', 'uma']) expect([id, request.approve(corp(`${id}.x`))]).toEqual([id, 'four_eyes']);
  });

  test('a `different` link lifts four eyes only if the issuer of the excluded person is known', () => {
    const parted = different(local('alice'), corp('alice'));
    const approvalFor = (token: string) =>
      new Request([part('a')], { call: aCall({ principal: person('alice'), authority: authority(token) }) }).knows(parted);
    expect(approvalFor('key:1').approve(corp('alice'))).toBe(GRANTED);
    expect(approvalFor('key:1').approve(local('alice'))).toBe('four_eyes');
    expect(approvalFor('jwt:corp').approve(local('alice'))).toBe('four_eyes');
    const owned = (more: Parameters<RuledPartition['rule']>[2]) => new Request([part('a')], { barred: ['alice'], ...more }).knows(parted);
    expect(owned({}).approve(corp('alice'))).toBe(GRANTED);
    const call = aCall({ authority: { ...authority('key:1'), on_behalf_of: person('alice') } });
    expect(owned({ call }).approve(corp('alice'))).toBe('four_eyes');
  });

  test('a linked person cannot be a delegate or a stand-in for their own vote', () => {
    const request = new Request(two).knows(same(local('al'), corp('alice')));
    expect(request.approve(local('al'), { vote: 'delegate', to: `${IDP}|alice` })).toBe('bad_delegate');
    request.policy.standing = [{ from: person('al'), from_issuer: 'local', to: `${IDP}|alice` }];
    const [type] = request.policy.vote('c1.1', person('alice', []), 'approve', { voter_issuer: IDP });
    expect([type, request.policy.last('approval_vote_refused').code]).toEqual(['approval_vote_refused', 'not_entitled']);
  });

  test('two identities of one person cannot meet distinct parts', () => {
    const parts = [
      part('a', { people: ['al'], approver_roles: [], distinct: true }),
      part('b', { people: [`${IDP}|alice`], approver_roles: [] }),
    ];
    const request = new Request(parts).knows(same(local('al'), corp('alice')));
    expect([request.approve(local('al')), request.approve(corp('alice'))]).toEqual([COUNTED, COUNTED]);
    expect(openParts(request.approval)).toHaveLength(1);
    const free = new Request(parts);
    expect([free.approve(local('al')), free.approve(corp('alice'))]).toEqual([COUNTED, GRANTED]);
  });

  test('a link never passes on a right', () => {
    const request = new Request([part('a', { people: ['al'], approver_roles: [] })]).knows(same(local('al'), corp('alice')));
    expect([request.approve(corp('alice')), request.approve(local('al'))]).toEqual(['not_entitled', GRANTED]);
  });
});

const RUNS = { numRuns: histories(100, 1_000) };
const identity = fc.record({ issuer: fc.constantFrom('local', 'i1', 'i2'), id: fc.constantFrom('a', 'b', 'c', 'robot') });
const maybeUnknown = fc.oneof({ weight: 4, arbitrary: identity }, fc.record({ issuer: fc.constant(null), id: fc.constantFrom('a', 'b') }));
const linked = (relation: fc.Arbitrary<PersonRelation>) => fc.record({ one: identity, other: identity, relation });
const someLinks = fc.array(linked(fc.constantFrom('same', 'different')), { maxLength: 6 });
const sameLinks = fc.array(linked(fc.constant('same' as const)), { maxLength: 4 });
const someParts = fc.array(fc.record({ quorum: fc.integer({ min: 1, max: 3 }), distinct: fc.boolean() }), { minLength: 1, maxLength: 3 });
const voters = fc.array(identity, { maxLength: 7 });

const requestOf = (parts: readonly Partial<RequestedPart['requirement']>[]) => new Request(parts.map((more, at) => part(`r${at}`, more)));

describe('for any recorded links', () => {
  test('the persons do not depend on the order of links, and no identity belongs to two persons', () => {
    fc.assert(
      fc.property(someLinks, maybeUnknown, maybeUnknown, (links, one, other) => {
        expect(isOnePerson(links, one, other)).toBe(isOnePerson([...links].reverse(), other, one));
        expect(isOnePerson(links, one, { ...one, id: ` ${one.id.toUpperCase()}` })).toBe(true);
      }),
      RUNS,
    );
  });

  test('one more `same` link or one fewer `different` link never splits a person into two', () => {
    fc.assert(
      fc.property(someLinks, linked(fc.constant('same')), maybeUnknown, maybeUnknown, fc.nat(), (links, added, one, other, which) => {
        if (!isOnePerson(links, one, other)) return;
        expect(isOnePerson([...links, added], one, other)).toBe(true);
        const fewer = links.filter(({ relation }, at) => relation === 'same' || at !== which % links.length);
        expect(isOnePerson(fewer, one, other)).toBe(true);
      }),
      RUNS,
    );
  });

  test('one more `same` link, recorded before or after a request, never grants what was not granted without it', () => {
    fc.assert(
      fc.property(someParts, sameLinks, linked(fc.constant('same')), voters, fc.nat(7), (parts, links, added, people, when) => {
        const [without, before, after] = [0, 1, 2].map(() => requestOf(parts).knows(...links)) as [Request, Request, Request];
        before.knows(...links, added);
        const granted = people.map((who, at) => {
          if (at === when) after.learns(added);
          return [without, before, after].map((request) => request.approve(who) === GRANTED);
        });
        const [any, early, late] = [0, 1, 2].map((of) => granted.some((one) => one[of])) as [boolean, boolean, boolean];
        if (early || late) expect(any).toBe(true);
      }),
      RUNS,
    );
  });

  test('links recorded after a request never grant more than the same links recorded before it', () => {
    fc.assert(
      fc.property(someParts, sameLinks, someLinks, voters, (parts, links, later, people) => {
        const [known, learned] = [
          requestOf(parts).knows(...links),
          requestOf(parts)
            .knows(...links)
            .learns(...later),
        ];
        const grants = (request: Request) => people.map((who) => request.approve(who)).includes(GRANTED as string);
        if (grants(learned)) expect(grants(known)).toBe(true);
      }),
      RUNS,
    );
  });

  test('no identity counts twice in a part', () => {
    fc.assert(
      fc.property(someLinks, someLinks, voters, (links, later, people) => {
        const request = new Request([part('a', { quorum: 9 })]).knows(...links);
        people.forEach((who, at) => {
          if (at === 3) request.learns(...later);
          request.approve(who);
        });
        const counted = request.approval.votes.map(({ voter_issuer, voter_id }) => `${voter_issuer}|${voter_id}`);
        expect(new Set(counted).size).toBe(counted.length);
      }),
      RUNS,
    );
  });
});
