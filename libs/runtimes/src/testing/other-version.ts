import { writeSync } from 'node:fs';
import { CHANNEL_FD } from '../child/protocol.js';

/** A program with another protocol version. */
writeSync(CHANNEL_FD, `${JSON.stringify({ kind: 'hello', protocol: 99 })}\n`);
setTimeout(() => undefined, 60_000);
