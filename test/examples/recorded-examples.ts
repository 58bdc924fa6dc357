import { setTimeout as sleep } from 'node:timers/promises';
import type { TestedPlatform } from '../journeys/journey-world.js';
import { Acme } from '../tenants/acme.js';
import { type Route, routesOf } from '../tenants/api-routes.js';
import { type Answered, Probes, raw } from '../tenants/probes.js';
import { type ExampleRequest, type ExampleWorld, exampleRequests, NOT_SENT, WITHOUT_EXAMPLE } from './example-requests.js';
import { ExampleMask } from './mask.js';

/** What a route was sent and what it answered, masked. */
export interface Example {
  request?: unknown;
  status: number;
  media_type: string;
  answer?: unknown;
}

const TENANT = 'acme';
/** Routes of the installation, for its own admins. */
const INSTALLATIONS = /^\/v1\/(projections|adapters|tenants|log|scrubs|secrets:)/;
/** What closes, ends or deletes comes last. */
const METHODS = ['GET', 'PUT', 'POST', 'PATCH', 'DELETE'];
const TRIES_MAX = 100;

const turn = ({ method }: Route): number => METHODS.indexOf(method);

function exampleOf(request: unknown, { status, content_type, text }: Answered): Example {
  const mask = new ExampleMask();
  const media_type = content_type.split(';', 1)[0] as string;
  const answer = media_type === 'application/json' ? mask.masked(JSON.parse(text)) : mask.text(text);
  return { ...(request === undefined ? {} : { request: mask.masked(request) }), status, media_type, ...(text === '' ? {} : { answer }) };
}

/** Sends a request until it is answered: views and checkpoints come later than what they show. */
async function answered(world: ExampleWorld, route: Route, { url, body }: Required<ExampleRequest>): Promise<Answered> {
  const by = INSTALLATIONS.test(route.path) ? world.root : world.acme.admin;
  for (let tries = 1; ; tries++) {
    const answer = await raw(by, route.method, url, body);
    if ((answer.status !== 503 && answer.status !== 409) || tries === TRIES_MAX) return answer;
    await sleep(100);
  }
}

/** An example of each operation of a platform, by method and path. `refused`: those that have none, for no reason that is known. */
export async function recordedExamples(platform: TestedPlatform): Promise<{ examples: Record<string, Example>; refused: string[] }> {
  const root = platform.admin();
  await root.request('POST', '/v1/tenants', { tenant_id: TENANT });
  const world = { root, acme: await Acme.furnish(root) };
  const probes = new Probes(world.acme);
  const examples: Record<string, Example> = {};
  const refused: string[] = [];
  for (const route of (await routesOf(platform.base)).sort((a, b) => turn(a) - turn(b))) {
    const name = `${route.method} ${route.path}`;
    if (name in WITHOUT_EXAMPLE || NOT_SENT.has(name)) continue;
    const request = { ...probes.request(route, 'acmes', undefined, TENANT), ...(await exampleRequests[name]?.(world)) };
    const answer = await answered(world, route, request);
    if (answer.status < 300) examples[name] = exampleOf(request.body, answer);
    else refused.push(`${name}: ${answer.status} ${answer.text.slice(0, 300)}`);
  }
  return { examples: Object.fromEntries(Object.entries(examples).sort(([a], [b]) => (a < b ? -1 : 1))), refused };
}
