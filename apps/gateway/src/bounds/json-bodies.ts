import { isUtf8 } from 'node:buffer';
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { Refusal } from '@countersign/calls';
import { prototypeKey, tooDeep } from '@countersign/definitions';
import type { FastifyInstance } from 'fastify';
import { type Problem, ProblemWithHeaders } from '../http/problem.js';
import { refusedHazard } from '../requests/nesting.js';

/** Parses a body or reports why it cannot. The router and the direct path use the same parser, from `takeOnlyJson`. */
export type ParseJson = (request: IncomingMessage, body: Buffer, done: (cause: Error | Problem | null, value: unknown) => void) => void;

const CHARSET = /;\s*charset\s*=\s*"?([^\s";]*)/i;
// ASCII is a subset of UTF-8.
const CHARSETS = new Set(['utf-8', 'utf8', 'us-ascii']);
const SHOWN_MAX = 60;

/** Why a body in this form is not read (415); undefined if its headers declare plain UTF-8. */
export function unreadForm(headers: IncomingHttpHeaders): Problem | undefined {
  const coding = headers['content-encoding'];
  if (coding !== undefined && coding.trim().toLowerCase() !== 'identity')
    return new ProblemWithHeaders(
      'unsupported-media-type',
      `content-encoding ${coding.slice(0, SHOWN_MAX)} is not supported: send the body without content-encoding`,
      {},
      // RFC 9110, 15.5.16: names the accepted codings.
      { 'accept-encoding': 'identity' },
    );
  const charset = CHARSET.exec(headers['content-type'] ?? '')?.[1];
  if (charset !== undefined && !CHARSETS.has(charset.toLowerCase()))
    return new Refusal('unsupported-media-type', `charset ${charset.slice(0, SHOWN_MAX)} is not supported: send the body in UTF-8`);
  return undefined;
}

/** The text of a body; undefined if it is not valid UTF-8, which would decode to other characters. */
const bodyText = (bytes: Buffer): string | undefined => (isUtf8(bytes) ? bytes.toString() : undefined);

/** Fastify's parser reports the same error for invalid JSON and for JSON with such a key. */
function whyNot(text: string, cause: Error): Error | Problem {
  try {
    const value: unknown = JSON.parse(text.replace(/^\uFEFF/, ''));
    const hazard = tooDeep(value) ?? prototypeKey(value);
    return hazard ? refusedHazard(hazard) : cause;
  } catch {
    return cause;
  }
}

/** Schedules the handling of a complete body. */
export type InTurn = (request: IncomingMessage, bytes: number, handle: () => void) => void;

/** Accepts only uncompressed JSON in UTF-8. @returns the parser, for the direct path. */
export function takeOnlyJson(server: FastifyInstance, inTurn: InTurn): ParseJson {
  const parser = server.getDefaultJsonParser('error', 'error');
  server.removeAllContentTypeParsers();
  const parseNow = (body: Buffer, done: Parameters<ParseJson>[2]): void => {
    const text = bodyText(body);
    if (text === undefined) done(new Refusal('malformed-body', 'The body is not UTF-8'), undefined);
    else parser(undefined as never, text, (cause, value) => done(cause && whyNot(text, cause), value));
  };
  const parse: ParseJson = (request, body, done) => inTurn(request, body.length, () => parseNow(body, done));
  server.addContentTypeParser('application/json', { parseAs: 'buffer' }, ({ headers, raw }, body: Buffer, done) => {
    // An empty body counts as no body, whatever its Content-Type: many clients always send one.
    if (body.length === 0) return done(null, undefined);
    const refused = unreadForm(headers);
    if (refused) done(refused as never, undefined);
    else parse(raw, body, done as never);
  });
  return parse;
}
