import type { Pack } from '@countersign/tool-kit';
import { FaultyWorld, faultyTools } from './faulty-tools.js';

/** The faulty tools as a pack from outside: each child has a world of its own. */
export const pack: Pack = { name: 'outside', version: '1.0.0', tools: faultyTools(new FaultyWorld()) };
