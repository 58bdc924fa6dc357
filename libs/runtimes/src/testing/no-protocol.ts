import { writeSync } from 'node:fs';
import { CHANNEL_FD } from '../child/protocol.js';

/** A program that does not speak the protocol. */
writeSync(CHANNEL_FD, '<html>\n');
setTimeout(() => undefined, 60_000);
