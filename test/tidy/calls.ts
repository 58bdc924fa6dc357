import ts from 'typescript6';
import { type Fault, faultAt, fileName, isSpec, nodesOf, type SourceText } from './source.js';

interface Ban {
  /** The text of the expression, without white space. */
  expression: RegExp;
  instead: string;
  /** Whether the ban holds for this file. */
  holds(path: string): boolean;
}

const PURE = /^(libs\/(domain|policy)\/src|apps\/projector\/src\/projections)\//;
const isPure = (path: string) => PURE.test(path) && !isSpec(path);
const inProduct = (path: string) => /^(apps|libs|packs)\//.test(path) && !isSpec(path);
/** Tools that harm their process on purpose stand beside the specs. */
const inTesting = (path: string) => path.includes('/testing/');
const isMain = (path: string) => fileName(path) === 'main.ts';

/** Who connects without the outbound door, and why nobody can lead it anywhere. */
const OWN_WAY_OUT: readonly [path: string, reason: string][] = [
  ['libs/outbound/', 'it is the door'],
  ['libs/client/', 'runs at its user, calls the gateway that he names'],
  ['apps/console/', 'runs in the browser, whose policy allows its own origin only'],
  ['apps/cli/', 'a command of the operator, calls the installation that he names'],
  ['libs/event-log/src/kafka/kafka-client.ts', 'the brokers of the installation'],
  ['libs/event-log/src/embedded/directory-lock.ts', 'a socket file in the data folder'],
  ['packs/probe/', 'for tests: its own counterparty'],
  ['packs/operations/src/hermes/exchange.ts', 'the business system that the operator names in the folder of the tenant'],
  ['libs/runtimes/src/sandbox/inside-proxy.ts', 'runs in a sandbox without a network: it reaches the one socket that is mounted there'],
];
const hasOwnWayOut = (path: string) => OWN_WAY_OUT.some(([start]) => path.startsWith(start));

export const bans: readonly Ban[] = [
  { expression: /^(Date\.now|performance\.now|process\.hrtime.*)$/, instead: 'take the time as an argument', holds: isPure },
  { expression: /^newDate\(\)$/, instead: 'take the time as an argument', holds: isPure },
  { expression: /^(crypto\.)?randomUUID$|^uuidv7$/, instead: 'take the id as an argument', holds: isPure },
  { expression: /^Math\.random$/, instead: 'take the number as an argument', holds: isPure },
  {
    expression: /^process\.env$/,
    instead: 'read the environment once, in config.ts or main.ts, and pass what it says',
    holds: (path) => inProduct(path) && !inTesting(path) && !isMain(path) && fileName(path) !== 'config.ts' && !/-config\.ts$/.test(path),
  },
  {
    expression: /^process\.exit$/,
    instead: 'return or throw: only main.ts ends the process, only worker.ts its thread',
    holds: (path) => inProduct(path) && !inTesting(path) && !isMain(path) && fileName(path) !== 'worker.ts',
  },
  {
    expression: /^(fetch|globalThis\.fetch|connect|connectTls|createConnection|(net|tls)\.connect|https?\.(request|get))$/,
    instead: 'go out by libs/outbound, which checks addresses, or say in OWN_WAY_OUT why nobody can lead it anywhere',
    holds: (path) => inProduct(path) && !inTesting(path) && !hasOwnWayOut(path),
  },
  {
    expression: /^console\.\w+$/,
    instead: 'use the logger: console is for the command line',
    holds: (path) => inProduct(path) && !isMain(path) && !path.startsWith('apps/cli/'),
  },
  {
    expression: /^newRegExp\(.*\)$|^RegExp$/,
    instead: 'write the expression out; one that comes from a caller runs on RE2, by ctx.patterns',
    holds: (path) => inProduct(path) && /^(apps|packs)\//.test(path),
  },
  { expression: /^(test|it|describe)\.(skip|only|todo)$|^x(it|test|describe)$/, instead: 'mend the test or delete it', holds: () => true },
];

export function bannedCalls(source: SourceText): Fault[] {
  const active = bans.filter((ban) => ban.holds(source.path));
  const faults: Fault[] = [];
  for (const node of nodesOf(source)) {
    const watched =
      ts.isPropertyAccessExpression(node) ||
      ts.isNewExpression(node) ||
      (ts.isIdentifier(node) && ts.isCallExpression(node.parent) && node.parent.expression === node);
    if (!watched) continue;
    const text = node.getText().replace(/\s/g, '');
    const ban = active.find((candidate) => candidate.expression.test(text));
    if (ban) faults.push(faultAt(source, node, `${text} is banned here: ${ban.instead}`));
  }
  return faults;
}

/** In-process event buses beside the log: two event systems, and nobody sees which is true. */
export function bannedDecorators(source: SourceText): Fault[] {
  const faults: Fault[] = [];
  for (const node of nodesOf(source)) {
    if (ts.isDecorator(node) && /^@(OnEvent|EventsHandler|CommandHandler|QueryHandler)\b/.test(node.getText())) {
      faults.push(faultAt(source, node, `${node.getText()} is banned: services talk through the log, with @OnTopic`));
    }
  }
  return faults;
}

/** Whether a `setInterval(…)` is let go of: at once, or by the name that it is given. */
function isReleased(call: ts.Node, text: string): boolean {
  const { parent } = call;
  if (ts.isPropertyAccessExpression(parent)) return parent.name.text === 'unref';
  const named = ts.isBinaryExpression(parent) ? parent.left : ts.isVariableDeclaration(parent) ? parent.name : undefined;
  return named !== undefined && text.includes(`${named.getText()}.unref()`);
}

/** A timer that keeps coming must not keep the process alive. */
export function heldTimers(source: SourceText): Fault[] {
  // a page of the browser holds no process
  if (!inProduct(source.path) || source.path.startsWith('apps/console/')) return [];
  const timers = [...nodesOf(source)].filter((node) => ts.isCallExpression(node) && node.expression.getText() === 'setInterval');
  const held = timers.filter((node) => !isReleased(node, source.text));
  return held.map((node) => faultAt(source, node, 'setInterval without unref(): it keeps the process alive'));
}

const MARKS = /\b(TODO|FIXME|HACK|XXX)\b|@ts-(ignore|expect-error|nocheck)/;

/** In a spec of types, what must not compile: it fails where the line does. */
const EXPECTED = /\/\/ @ts-expect-error \S/;

/** What somebody meant to do later. */
export function leftovers(source: SourceText): Fault[] {
  if (source.path.startsWith('test/tidy')) return [];
  return source.text.split('\n').flatMap((text, at) => {
    const mark = isSpec(source.path) && EXPECTED.test(text) ? undefined : MARKS.exec(text)?.[0];
    return mark ? [{ path: source.path, line: at + 1, message: `${mark} is banned: do it now, or write an issue` }] : [];
  });
}
