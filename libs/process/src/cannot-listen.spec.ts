import { createServer } from 'node:net';
import { expect, test } from 'vitest';
import { cannotListen } from './cannot-listen.js';

const names = { port: 'PORT', host: 'HOST' };
const messageOf = (fault: unknown) => cannotListen(fault, names)?.message;

function listenFault(port: number, host: string): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', resolve);
    server.listen(port, host, () => server.close(() => reject(new Error('it listens'))));
  });
}

test('a port in use and an address of another machine: each error names the variable to set', async () => {
  const taken = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => taken.once('listening', resolve));
  const { port } = taken.address() as { port: number };
  expect(messageOf(await listenFault(port, '127.0.0.1'))).toBe(`port ${port} is in use: stop the process that listens on it, or set PORT`);
  taken.close();
  expect(messageOf(await listenFault(0, '192.0.2.1'))).toBe('192.0.2.1 is not an address of this machine: set HOST');
});

test('a port below 1024 and a name without an address, as the system reports them', () => {
  expect(messageOf({ code: 'EACCES', syscall: 'listen', port: 80 })).toBe(
    'this user may not listen on port 80: set PORT to a port above 1023',
  );
  expect(messageOf({ code: 'ENOTFOUND', syscall: 'getaddrinfo', hostname: 'nowhere.invalid' })).toBe(
    'the host name nowhere.invalid has no address on this machine: set HOST',
  );
});

test('other faults are ignored, also those with the same code', () => {
  for (const fault of [new Error('x'), { code: 'EACCES', syscall: 'open' }, { code: 'ENOTFOUND', syscall: 'query' }])
    expect(messageOf(fault)).toBeUndefined();
});
