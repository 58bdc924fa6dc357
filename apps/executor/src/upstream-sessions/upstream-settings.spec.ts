import { describe, expect, test } from 'vitest';
import { parseExecutorConfig } from '../config.js';

const command = { name: 'time', argv: [process.execPath, '/opt/time.js'] };
const parsed = (text: string, more: Record<string, string> = {}) =>
  parseExecutorConfig({ COUNTERSIGN_PACKS: 'workspace', COUNTERSIGN_UPSTREAM_COMMANDS: text, ...more }, ['shared']);
const faultsOf = (...commands: unknown[]) => {
  const read = parsed(JSON.stringify(commands));
  return 'faults' in read ? read.faults : [];
};

describe('the executor does not start with', () => {
  test.each<[string, string]>([
    ['text that is no JSON', '{"name": '],
    ['another JSON value than a list', JSON.stringify(command)],
    ['null', 'null'],
  ])('%s as list of commands', (_title, text) => {
    expect(parsed(text)).toEqual({ faults: [expect.stringMatching(/^COUNTERSIGN_UPSTREAM_COMMANDS: /)] });
  });

  test.each<[string, object, RegExp]>([
    ['with a member that does not exist', { ...command, shell: true }, /0: Unrecognized key: "shell"/],
    ['without argv', { name: 'time' }, /0\.argv/],
    ['with an empty argv', { ...command, argv: [] }, /0\.argv/],
    ['that reads the whole machine', { ...command, read: ['/'] }, /0\.read\.0: an absolute path/],
    ['that reads the processes of the machine', { ...command, read: ['/proc'] }, /0\.read\.0: an absolute path/],
    ['that keeps its files in the whole machine', { ...command, state: { folder: '/' } }, /0\.state\.folder: an absolute path/],
    ['that lets tenants set how programs are loaded', { ...command, env: ['NODE_OPTIONS'] }, /0\.env\.0: this variable is reserved/],
    ['whose program does not exist', { ...command, argv: ['no-such-program'] }, /time: the program no-such-program does not exist in/],
    ['whose program is a relative path', { ...command, argv: ['./server'] }, /the program \.\/server does not exist/],
    ['that reads what does not exist', { ...command, read: ['/no/such'] }, /time: \/no\/such does not exist/],
    ['whose folder of files does not exist', { ...command, state: { folder: '/no/such' } }, /time: \/no\/such does not exist/],
  ])('a command %s', (_title, given, fault) => {
    expect(faultsOf(given)).toEqual([expect.stringMatching(fault)]);
  });

  test('commands with several faults, all of which are named, beside those of other variables', () => {
    const text = JSON.stringify([
      { ...command, read: ['/'] },
      { ...command, hosts: ['*'] },
    ]);
    const read = parsed(text, { COUNTERSIGN_UPSTREAM_PIDS_MAX: '1' });
    expect('faults' in read && read.faults.map((fault) => fault.split(':')[0])).toEqual(
      expect.arrayContaining(['COUNTERSIGN_UPSTREAM_PIDS_MAX', 'COUNTERSIGN_UPSTREAM_COMMANDS']),
    );
    expect('faults' in read && read.faults.join()).toMatch(/0\.read\.0.*1\.hosts\.0/s);
  });
});

test("commands are the sandbox's unless the installation says otherwise, and hosts have lower case", () => {
  const read = parsed(JSON.stringify([command]), { COUNTERSIGN_UPSTREAM_PRIVATE: 'MCP.internal:8080' });
  expect('config' in read && read.config.upstreams).toMatchObject({
    commands: [{ name: 'time', env: [], hosts: [], read: [] }],
    sandbox: 'bubblewrap',
    private_hosts: ['mcp.internal:8080'],
  });
});
