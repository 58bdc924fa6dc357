import { writeSync } from 'node:fs';
import { CHANNEL_FD } from '../child/protocol.js';

/** A program that speaks no protocol at all. */
writeSync(CHANNEL_FD, '<html>\n');
setTimeout(() => undefined, 60_000);
