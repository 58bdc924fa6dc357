import { describe, expect, test } from 'vitest';
import { upstreamCommandsOf } from './upstream-commands.js';

const read = (...commands: object[]) => upstreamCommandsOf(JSON.stringify(commands));
const command = { name: 'time', argv: ['time-server'] };

test('a command has a name and a program; the rest is empty', () => {
  expect(read(command)).toEqual({ commands: [{ ...command, env: [], hosts: [], read: [] }] });
});

test('the whole list is refused for one fault, with its place', () => {
  expect(upstreamCommandsOf('{')).toEqual({ faults: ['must be JSON: a list of commands'] });
  expect(read(command, { ...command, name: 'Time' })).toMatchObject({ faults: [expect.stringContaining('1.name')] });
  expect(read(command, command)).toMatchObject({ faults: [expect.stringContaining('same name')] });
  expect(read({ ...command, shell: true })).toMatchObject({ faults: [expect.stringContaining('shell')] });
});

describe('refused is', () => {
  test.each([
    'PATH',
    'LD_PRELOAD',
    'NODE_OPTIONS',
    'PYTHONPATH',
    'BASH_ENV',
    'HTTPS_PROXY',
    'https_proxy',
    'COUNTERSIGN_KEY',
    'ENV',
    'a-b',
    '',
  ])('the variable %j', (name) => {
    expect(read({ ...command, env: [name] })).toHaveProperty('faults');
  });

  test.each(['https://example.com', 'Example.com', '*.example.com', 'example.com:0', 'a b', 'example.com/x', ''])('the host %j', (host) => {
    expect(read({ ...command, hosts: [host] })).toHaveProperty('faults');
  });

  test.each(['/', '//', 'relative', '/proc', '/proc/self', '/sys', '/dev/shm', ''])('the folder %j', (folder) => {
    expect(read({ ...command, read: [folder] })).toHaveProperty('faults');
    expect(read({ ...command, state: { folder } })).toHaveProperty('faults');
  });

  test('an empty program, and a NUL character', () => {
    expect(read({ ...command, argv: [] })).toHaveProperty('faults');
    expect(read({ ...command, argv: ['a\0b'] })).toHaveProperty('faults');
  });
});

test('taken are variables of secrets, hosts with a port, and folders', () => {
  expect(
    read({
      ...command,
      env: ['API_KEY', 'TOKEN_2'],
      hosts: ['api.example.com', '127.0.0.1:8080'],
      read: ['/opt/mcp', '/srv/process'],
      state: { folder: '/srv/mcp' },
    }),
  ).toHaveProperty('commands');
});
