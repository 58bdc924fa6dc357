import { fetch } from 'undici';
import type { Api } from '../journeys/api.js';
import type { Acme, Named } from './acme.js';
import { filled, type Route } from './api-routes.js';
import { bodies } from './probe-bodies.js';

/** Query parameters that do not name an object of a tenant. */
const VALUES = new Set(
  'limit status state fields expand order requested_after requested_before opened_after opened_before lifecycle category effect_class pattern'
    .concat(' capability marking provider q capabilities version min_trust max_latency_ms max_cost')
    .split(' ')
    .concat(
      'from to type format after_checkpoint cosigned timestamped first second size topic partition offset group_by period provisional kind kinds days'.split(
        ' ',
      ),
    )
    .concat(['role', 'source', 'price_of_hour', 'as_of', 'at_offset', 'token', 'metadata']),
);
/** Parameters for which no value can be created, and why. */
const NOBODYS: Readonly<Record<string, string>> = {
  path: 'tiles are hashes of the whole log, for the auditors of every tenant',
  letter_id: 'a dead letter is a record that a consumer could not handle: dead-letters.int.spec asks for those of another tenant',
  'upstreams.tool': 'the upstream of acme is never listed: it has no tools',
};
const STREAM_MS = 300;
const PATIENCE_MS = 20_000;

type Whose = 'acmes' | 'nobodys';

/** A request that names an object of acme, and the same request for one that does not exist. */
export interface Probe {
  route: Route;
  /** The query parameter that names it; absent: the path or the body does. */
  filter?: string;
  /** The two requests differ: this probe could distinguish foreign objects from missing ones. */
  tells: boolean;
  /** Every tenant has the object. */
  shared: boolean;
}

export interface Answered {
  status: number;
  content_type: string;
  text: string;
}

/** Requests of every route with the names of a tenant in them. */
export class Probes {
  constructor(private readonly acme: Acme) {}

  /** The probes of these routes, and what is missing for others: a value of a parameter, a body. */
  all(routes: readonly Route[]): { probes: Probe[]; missing: string[] } {
    const probes: Probe[] = [];
    const missing: string[] = [];
    for (const route of routes) {
      const where = `${route.method} ${route.path}`;
      const inPath = [...route.path.matchAll(/\{(\w+)\}/g)].map((match) => match[1] as string);
      for (const name of inPath) if (!this.named(route, name) && !(name in NOBODYS)) missing.push(`${where}: nobody furnished ${name}`);
      if (route.has_body && !bodies[where]) missing.push(`${where}: no body`);
      const requests = [this.request(route, 'acmes'), this.request(route, 'nobodys')];
      const tells = JSON.stringify(requests[0]) !== JSON.stringify(requests[1]);
      if (!tells && inPath.some((name) => !(name in NOBODYS))) missing.push(`${where}: what acme has is named as what nobody has`);
      probes.push({ route, tells, shared: inPath.some((name) => this.named(route, name)?.shared === true) });
      for (const filter of route.query.filter((name) => !VALUES.has(name) && name !== 'cursor')) {
        const about = this.named(route, filter);
        if (`${resourceOf(route)}.${filter}` in NOBODYS) continue;
        if (about) probes.push({ route, filter, tells: true, shared: about.shared === true });
        else missing.push(`${where}: nobody furnished ${filter}`);
      }
    }
    return { probes, missing };
  }

  /** Sends a probe, repeatedly while the views lag. Names and values that differ in every response are removed from the text. */
  async ask(by: Api, { route, filter }: Probe, whose: Whose, tenant_id = 'rival'): Promise<Answered> {
    const { url, body } = this.request(route, whose, filter, tenant_id);
    for (const end = performance.now() + PATIENCE_MS; ; await new Promise((later) => setTimeout(later, 100))) {
      const answer = await raw(by, route.method, url, body);
      if (answer.status !== 503 || performance.now() > end) return answer;
    }
  }

  /** Removes the names from a response, so that two responses can be compared. */
  plain(text: string): string {
    const names = [...this.acme.names.values()].flatMap(({ acmes, nobodys }) => [acmes, nobodys]);
    const longest = [...new Set(names)].sort((a, b) => b.length - a.length);
    const bare = longest.reduce((left, name) => left.replaceAll(encodeURIComponent(name), '#').replaceAll(name, '#'), text);
    return bare.replace(/"proof":"[^"]*"/g, '""').replace(/[0-9a-f]{8}-[0-9a-f-]{27}|[0-9a-f]{32,}|\d+/g, '0');
  }

  /** The request of a route. */
  request(route: Route, whose: Whose, filter?: string, tenant_id = 'rival'): { url: string; body: unknown } {
    const nameOf = (of: Whose) => (name: string) => this.named(route, name)?.[of] ?? `nobodys-${name}`;
    // A filter is probed within an object of acme.
    const path = filled(route.path, nameOf(filter === undefined ? whose : 'acmes'));
    const query = filter === undefined ? '' : `?${filter}=${encodeURIComponent(nameOf(whose)(filter))}`;
    const needed = filter === undefined && route.method === 'GET' ? needs[route.path] : undefined;
    const requests = needed === undefined ? query : `?${needed}`;
    return { url: path + requests, body: bodies[`${route.method} ${route.path}`]?.(nameOf(whose), tenant_id) };
  }

  private named(route: Route, parameter: string): Named | undefined {
    return this.acme.name(resourceOf(route), parameter);
  }
}

const resourceOf = (route: Route): string => route.path.split('/')[2] as string;

/** Query parameters that a route requires, or that make it return whole items. */
const needs: Readonly<Record<string, string>> = {
  '/v1/calls': 'expand=*',
  '/v1/approvals': 'expand=*',
  '/v1/tools:search': 'q=probe',
  '/v1/usage/billing': 'period=2026-01&provisional=true',
};

/** Sends a request; a stream is read for a moment. */
export async function raw(by: Api, method: string, url: string, body: unknown, wait_s = 10): Promise<Answered> {
  const content = body === undefined ? {} : { body: JSON.stringify(body) };
  const type = body === undefined ? {} : { 'content-type': 'application/json' };
  const cut = new AbortController();
  const headers = { authorization: `Bearer ${by.key}`, prefer: `wait=${wait_s}`, ...type };
  const response = await fetch(by.base + url, { method, headers, ...content, signal: cut.signal });
  const parts: string[] = [];
  const content_type = response.headers.get('content-type') ?? '';
  const streams = content_type.startsWith('text/event-stream');
  const timer = streams ? setTimeout(() => cut.abort(), STREAM_MS) : undefined;
  try {
    for await (const part of response.body ?? []) parts.push(Buffer.from(part as Uint8Array).toString());
  } catch (fault) {
    if (!cut.signal.aborted) throw fault;
  } finally {
    clearTimeout(timer);
  }
  return { status: response.status, content_type, text: parts.join('') };
}
