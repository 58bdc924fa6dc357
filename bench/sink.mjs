// Takes what an attacker sends and does nothing with it: what the attack costs the machine, without the platform. Says its port.
import { createServer } from 'node:net';

const WAIT_MS = 1000;
const ANSWER = 'HTTP/1.1 401 Unauthorized\r\ncontent-type: application/json\r\ncontent-length: 25\r\n\r\n{"call_id":"of the sink"}';

const server = createServer((socket) => {
  socket.on('error', () => undefined);
  socket.on('data', () => {
    if (socket.isPaused()) return;
    socket.write(ANSWER);
    // A request that fits is taken as one; of a larger one nothing more is read.
    if (socket.bytesRead < 8192) return;
    socket.pause();
    setTimeout(() => socket.destroy(), WAIT_MS).unref();
  });
});
server.listen(0, '127.0.0.1', () => process.send({ port: server.address().port }));
