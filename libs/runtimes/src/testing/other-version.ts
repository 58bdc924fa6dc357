import { writeSync } from 'node:fs';
import { CHANNEL_FD } from '../child/protocol.js';

/** A program that speaks a protocol of another time. */
writeSync(CHANNEL_FD, `${JSON.stringify({ kind: 'hello', protocol: 99 })}\n`);
setTimeout(() => undefined, 60_000);
