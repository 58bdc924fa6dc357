/** A snippet that a newcomer copies; docs/tutorials/demo.md has the same text. */
export interface FirstStep {
  id: 'curl' | 'client' | 'mcp' | 'rule';
  title: string;
  language: 'sh' | 'js' | 'json';
  text: string;
}

export interface FirstStepsAt {
  /** Address of the installation. */
  url: string;
  /** A key to fill in; absent: the snippets read the variable COUNTERSIGN_KEY. */
  key?: string;
}

/** Requests that tell whether an installation is empty. */
export const emptinessRequests = { calls: '/v1/calls?limit=1', policy: '/v1/policies/active' } as const;

/** What of an installation is still empty, from the answers to `emptinessRequests`. */
export function emptinessOf(calls: { items: readonly unknown[] }, policy: { version: string | null }): { calls: boolean; rules: boolean } {
  return { calls: calls.items.length === 0, rules: policy.version === null };
}

/** Keys and addresses that need no quoting in a shell, in JavaScript and in JSON. */
const PLAIN_KEY = /^[\w.-]{1,4096}$/;
const PLAIN_URL = /^https?:\/\/[\w.:[\]-]+(\/[\w./~-]*)?$/;

const call = { tool: 'write_file', inputs: { path: 'hello.txt', content: 'hello', mode: 'create' } };

const rules = [
  {
    id: 'ask-before-notes',
    description: 'A person reads every note before it is written',
    tools: 'write_file',
    when: 'inputs.path.startsWith("notes/")',
    effect: 'require_approval',
  },
];

function curl(url: string, bearer: string): string {
  return [
    `curl -s ${url}/v1/calls \\`,
    `  -H "authorization: Bearer ${bearer}" -H 'content-type: application/json' \\`,
    `  -d '${JSON.stringify(call)}'`,
  ].join('\n');
}

function program(url: string, key: string): string {
  return [
    "import { CountersignClient } from '@countersign/client';",
    '',
    `const client = new CountersignClient({ url: '${url}', key: ${key} });`,
    `const result = await client.call(${JSON.stringify(call)});`,
    "console.log(result.kind === 'answered' ? result.envelope.status : result);",
  ].join('\n');
}

const mcp = (url: string, bearer: string): string =>
  JSON.stringify(
    { mcpServers: { countersign: { type: 'http', url: `${url}/mcp`, headers: { Authorization: `Bearer ${bearer}` } } } },
    undefined,
    2,
  );

function rule(url: string, bearer: string): string {
  const headers = `-H "authorization: Bearer ${bearer}" -H 'content-type: application/json'`;
  return [
    `curl -s ${url}/v1/policies ${headers} \\`,
    `  -d '${JSON.stringify({ version: 'first', rules })}'`,
    `curl -s -X PUT ${url}/v1/policies/active ${headers} \\`,
    `  -d '${JSON.stringify({ version: 'first', shadow: null })}'`,
  ].join('\n');
}

/**
 * How the first call is made, and the first rule written. A key or an address that would need quoting is not filled in.
 * @throws TypeError if the address is no plain http address
 */
export function firstSteps({ url, key }: FirstStepsAt): FirstStep[] {
  if (!PLAIN_URL.test(url)) throw new TypeError(`${JSON.stringify(url.slice(0, 200))} is no plain http address`);
  const base = url.replace(/\/+$/, '');
  const given = key !== undefined && PLAIN_KEY.test(key) ? key : undefined;
  const inShell = given ?? '$COUNTERSIGN_KEY';
  return [
    { id: 'curl', title: 'With curl', language: 'sh', text: curl(base, inShell) },
    {
      id: 'client',
      title: 'From TypeScript',
      language: 'js',
      text: program(base, given === undefined ? 'process.env.COUNTERSIGN_KEY' : `'${given}'`),
    },
    {
      id: 'mcp',
      title: 'From an MCP client',
      language: 'json',
      // biome-ignore lint/suspicious/noTemplateCurlyInString: MCP clients fill it in
      text: mcp(base, given ?? '${COUNTERSIGN_KEY}'),
    },
    { id: 'rule', title: 'The first rule', language: 'sh', text: rule(base, inShell) },
  ];
}
