import ts from 'typescript6';
import { type Fault, faultAt, isGenerated, nodesOf, type SourceText } from './source.js';

interface Retired {
  /** Matches the whole identifier. */
  name: RegExp;
  instead: string;
}

/** The table of docs/reference/words.md, as far as a program can check it. */
const RETIRED: readonly Retired[] = [
  { name: /^(Face|[a-z]\w*Face|[A-Z]\w*Face|faceOf)$/, instead: 'Json or Response' },
  { name: /^(Room|Rooms|\w+Rooms?)$/, instead: 'Folder, Service or Capacity' },
  { name: /^\w*Desk$/, instead: 'Service, Recorder or Submitter' },
  { name: /^(Seats?|seats?)$/, instead: 'PendingAppend or slot' },
  { name: /^(\w+Board|BoardFollower)$/, instead: 'WatchedCalls or InFlightCalls' },
  { name: /^([A-Z]\w*Book|Books)$/, instead: 'Store, Cache or Reader' },
  { name: /^\w*Teller$/, instead: 'Publisher or Sender' },
  { name: /^(VersionKeeper|StorePulse|ConfigurationWitness)$/, instead: 'Scheduler, HealthCheck or Heartbeat' },
  { name: /^Openings$/, instead: 'DecryptedInputs' },
  { name: /^FirstFires$/, instead: 'PreExecutionGate' },
  { name: /^KnownCalls$/, instead: 'CallQueries' },
  { name: /^LostClaims$/, instead: 'ClaimConflicts' },
  { name: /^(silenceMs|silence_ms)$/, instead: 'staleness_ms' },
  { name: /^standing_changes$/, instead: 'revocation_epoch' },
];

/** Names that only we understand; docs/reference/words.md has the standard ones. */
export function retiredNames(source: SourceText): Fault[] {
  if (isGenerated(source.path)) return [];
  const faults: Fault[] = [];
  for (const node of nodesOf(source)) {
    if (!ts.isIdentifier(node)) continue;
    const retired = RETIRED.find(({ name }) => name.test(node.text));
    if (retired) faults.push(faultAt(source, node, `${node.text} is a retired name: use ${retired.instead} (docs/reference/words.md)`));
  }
  return faults;
}

const EVENT_NAME = /^[a-z][a-z0-9_]*$/;
const LEVELS = new Set(['trace', 'debug', 'info', 'warn', 'error', 'fatal']);

/** The event of a log line is one constant name in snake_case, so that an operator can search and alert on it. */
export function looseLogEvents(source: SourceText): Fault[] {
  const faults: Fault[] = [];
  for (const node of nodesOf(source)) {
    if (!ts.isCallExpression(node) || !ts.isPropertyAccessExpression(node.expression) || !LEVELS.has(node.expression.name.text)) continue;
    if (!/logger$/.test(node.expression.expression.getText())) continue;
    const [fields] = node.arguments;
    if (!fields || !ts.isObjectLiteralExpression(fields)) continue;
    for (const field of fields.properties) {
      if (!ts.isPropertyAssignment(field) || field.name.getText() !== 'event' || !ts.isStringLiteralLike(field.initializer)) continue;
      if (!EVENT_NAME.test(field.initializer.text))
        faults.push(faultAt(source, field, `event ${field.initializer.text}: write it in snake_case`));
    }
  }
  return faults;
}
