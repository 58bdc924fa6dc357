// docs/reference/errors.md: every reason of a problem document and every code of a failed call.

import { problemDocument, problemKinds } from '../../apps/gateway/dist/http/problem.js';
import { Refusal, reasonsOf, refusalReasons } from '../../libs/calls/dist/index.js';
import { table } from './markdown.mjs';

/** What to do about each reason; a reason without an entry stops the generator. */
const advice = {
  'malformed-body': 'Send one JSON value, UTF-8, without duplicate keys.',
  'invalid-request': 'Read `validation.issues`: each names a field by JSON Pointer and what it must be.',
  unauthenticated: 'Send `Authorization: Bearer <key>` with a key that has not expired or been revoked.',
  forbidden: 'Use a key with the role that the route needs (`x-countersign-roles` in the API reference).',
  'not-found': 'Check the path and the id. Resources of other tenants are reported as not found, too.',
  'unknown-tool': 'Take a name from `GET /v1/tools`.',
  'unknown-version': 'Take a version from `GET /v1/tools/{name}`.',
  'unknown-case': 'Take a `case_id` from `GET /v1/cases`, or open the case with `POST /v1/cases` first.',
  'method-not-allowed': 'Use a method of the `Allow` header.',
  conflict: 'Read `detail`: the resource is in a state that does not allow the request. Read it again first.',
  'external-id-taken': 'Use the case that `case_id` names or the call that `call_id` names, or another `external_id`.',
  'late-vote': 'None: the approval has ended. Read the call to see how.',
  'record-damaged':
    'An operator restores the record or accepts the damage ([auditors](../how-to/auditors.md#when-the-record-is-damaged)). Reads still work.',
  'vote-refused': 'Read `detail`: the voter may not decide this request, or voted already.',
  'not-promoted': 'Evaluate the version (`npm run tools:verify`), then promote it.',
  erased: 'None: the data was erased or dropped on purpose.',
  'precondition-failed': 'Read the resource again and repeat the edit with its new `ETag`.',
  'request-timeout': 'Send the request again, faster.',
  'uri-too-long': 'Shorten the path or the query.',
  'headers-too-large': 'Send fewer or shorter headers.',
  'body-too-large': 'Send at most 1 MiB.',
  'unsupported-media-type': 'Send `Content-Type: application/json`, uncompressed.',
  'invalid-inputs': "Read `validation.issues` and the tool's input schema in `GET /v1/tools/{name}`.",
  'invalid-saga-definition':
    'Read `validation.issues`: each has its step; `POST /v1/saga-definitions:check` answers all faults and warnings and records nothing.',
  'invalid-mapping': 'Read `validation.issues`; try the mapping with `POST /v1/mappings:try`.',
  'deadline-passed': 'Send a deadline in the future.',
  'refused-callback': 'Use a public https address, or allow private ones ([configuration](configuration.md)).',
  'invalid-limit': 'Read `validation.issues`: each kind of limit needs its own fields.',
  'key-reused': 'Use a new `Idempotency-Key` for other inputs.',
  'impossible-order': 'Remove the cycle from `depends_on`.',
  'unusable-policy': 'Read `validation.issues`: rules that do not compile, with line and column.',
  'unknown-change': 'Name only calls, rules and approvals of the case.',
  'too-much': 'Ask about fewer calls or a shorter time.',
  'simulation-required': 'Run `POST /v1/policies:simulate` and activate with its report.',
  'not-undoable': 'None: see `reason`. Another call may make up for the effect ([undo](../how-to/undo.md)).',
  'being-undone': 'Send the call again, as a new request, once the undo has ended.',
  'dependency-pending': 'Send the call again once the call that it depends on has ended.',
  'dependency-failed': 'Repair or repeat the call that it depends on first.',
  'too-many-in-flight': 'Wait `Retry-After` seconds; the tenant has too many calls in flight.',
  'too-many-sagas': 'End or cancel sagas, or wait until some end: `GET /v1/sagas?status=running`.',
  'too-many-bytes': 'Wait `Retry-After` seconds; send fewer large bodies at once.',
  overloaded: 'Wait `Retry-After` seconds.',
  'too-many-streams': 'Close event streams, or wait `Retry-After` seconds.',
  'too-many-sign-ins': 'Wait a minute. Open sessions are not affected.',
  unavailable: 'Send it again after `Retry-After` seconds. The request had no effect.',
  'no-ruling-yet': 'Read the call at `Location`: it is recorded and will be decided.',
  internal: 'Report it with its `request_id`; the cause is in the log of the gateway under that id.',
};

const CODES = [
  ['VALIDATION_ERROR', 'The request or the inputs are wrong, or the state does not allow them.'],
  ['TIMEOUT', 'The call did not end in time. A write that may have happened is `in_doubt` instead.'],
  ['RATE_LIMIT', 'A limit of the platform, a policy or the tool was reached; `retry_after_s` says when to try again.'],
  ['POLICY_DENIED', 'A rule or a person denied the call; `decision.rule` names the rule.'],
  ['AUTH_REQUIRED', 'A token or a secret is missing or lacks a right.'],
  ['PROVIDER_ERROR', 'The system behind the tool returned an error.'],
  ['NETWORK_ERROR', 'A system could not be reached.'],
  ['SANDBOX_ERROR', 'The process that runs the tool failed.'],
  ['IN_DOUBT', 'The outcome of a write is unknown. Resolve it (`POST /v1/calls/{call_id}/resolve`) before you repeat it.'],
  ['CANCELLED', 'The call was cancelled before it ran.'],
  ['UNKNOWN', 'An error that no other code covers.'],
];

export const page = () => {
  const kinds = problemKinds.map((kind) => {
    const { status, code, class: errorClass, retryable } = problemDocument(new Refusal(kind, ''), '/');
    if (!advice[kind]) throw new Error(`scripts/docs/errors.mjs says nothing of ${kind}`);
    return [`\`${kind}\``, status, `\`${code}\``, errorClass, retryable ? 'yes' : 'no', advice[kind]];
  });
  const reasons = problemKinds.flatMap((kind) => {
    const { title } = problemDocument(new Refusal(kind, ''), '/');
    return reasonsOf(kind).map((reason) => [`\`${reason}\``, `\`${kind}\``, refusalReasons[kind]?.[reason] ?? title]);
  });
  return `# Errors

A request that is refused is answered with a problem document (RFC 9457, \`application/problem+json\`). \`code\` is one of a closed list for programs,
\`reason\` names the cause (a reason is never renamed; new ones may come, so treat an unknown one by its \`class\`), \`detail\` says what is wrong here, and \`validation.issues\` lists the invalid fields. A call that was accepted and failed has
the same \`code\` in \`error\` of its envelope.

## Types of refused requests

${table(['type', 'status', 'code', 'class', 'retry', 'what to do'], kinds)}

## Reasons of refused requests

${table(['reason', 'type', 'meaning'], reasons)}

## Codes of failed calls

${table(
  ['code', 'meaning'],
  CODES.map(([code, meaning]) => [`\`${code}\``, meaning]),
)}
`;
};
