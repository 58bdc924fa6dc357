import { isUtf8 } from 'node:buffer';
import { Refusal } from '@countersign/calls';
import { YAML_BYTES_MAX, yamlValue } from '@countersign/definitions';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Role } from '../authentication/authenticator.js';
import type { Problem } from '../http/problem.js';
import type { RequestAccess } from '../http/request-access.js';
import { refusedHazard } from '../requests/nesting.js';
import { type InTurn, unreadForm } from './json-bodies.js';

export const YAML = 'application/yaml';

/** Checks the roles of a caller, as the guard of the route does later. */
export type YamlAccess = Pick<RequestAccess, 'admit'>;

function refusedBody(request: FastifyRequest, bytes: number, access: YamlAccess): Problem | undefined {
  const { headers, routeOptions } = request;
  const { yaml_roles } = (routeOptions.config ?? {}) as { yaml_roles?: readonly Role[] };
  if (!yaml_roles) return new Refusal('unsupported-media-type', 'send the body as application/json');
  const caller = access.admit(request, yaml_roles);
  if (caller instanceof Refusal) return caller;
  const detail = `YAML has at most ${YAML_BYTES_MAX} bytes here, and this body has ${bytes}`;
  return unreadForm(headers) ?? (bytes > YAML_BYTES_MAX ? new Refusal('body-too-large', detail) : undefined);
}

function bodyValue(body: Buffer): { value: unknown } | Problem {
  const read = isUtf8(body) ? yamlValue(body.toString()) : { fault: 'is not UTF-8' };
  if ('fault' in read) return new Refusal('malformed-body', `The body ${read.fault}`);
  return 'hazard' in read ? refusedHazard(read.hazard) : read;
}

/** Reads YAML where a route takes it. */
export function takeYaml(server: FastifyInstance, inTurn: InTurn, access: YamlAccess): void {
  server.addContentTypeParser(YAML, { parseAs: 'buffer' }, (request, body: Buffer, done) => {
    if (body.length === 0) return done(null, undefined);
    const refused = refusedBody(request, body.length, access);
    if (refused) return done(refused as never, undefined);
    return inTurn(request.raw, body.length, () => {
      const read = bodyValue(body);
      if (read instanceof Refusal) done(read as never, undefined);
      else done(null, read.value);
    });
  });
}
