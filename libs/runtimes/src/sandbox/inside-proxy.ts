// Runs inside the sandbox, started by egress-argv.ts: `node inside-proxy.js SOCKET PORT PROGRAM…`. Programs reach a proxy by a TCP port, and
// the sandbox has no network: this listens on its loopback and passes the bytes to the unix socket of the platform. Its end ends the rest.
import { spawn } from 'node:child_process';
import { connect, createServer, type Socket } from 'node:net';
import { pipeline } from 'node:stream';

const NOT_STARTED = 127;
const [socket = '', port = '', program = '', ...args] = process.argv.slice(2);
const open = new Set<Socket>();

const server = createServer((client) => {
  const outside = connect(socket);
  open.add(client);
  client.once('close', () => open.delete(client));
  pipeline(client, outside, () => outside.destroy());
  pipeline(outside, client, () => client.destroy());
});

function end(code: number): void {
  process.exitCode = code;
  server.close();
  for (const client of open) client.destroy();
}

server.listen(Number(port), '127.0.0.1', () => {
  const child = spawn(program, args, { stdio: 'inherit' });
  child.once('exit', (code) => end(code ?? 1));
  child.once('error', () => end(NOT_STARTED));
});
