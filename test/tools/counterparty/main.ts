import type { AddressInfo } from 'node:net';
import { Effects } from './effects.js';
import { counterpartyServer } from './server.js';

const [file, port] = process.argv.slice(2);
if (!file) {
  console.error('usage: main.js <effects file> [port]');
  process.exit(1);
}
const server = counterpartyServer(new Effects(file));
server.listen(Number(port ?? 0), '127.0.0.1', () => {
  console.log(JSON.stringify({ port: (server.address() as AddressInfo).port, pid: process.pid }));
});
// The one who started us holds our stdin: when they are gone, so are we.
process.stdin.resume().on('end', () => process.exit(0));
