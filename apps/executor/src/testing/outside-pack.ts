import type { Pack } from '@countersign/tool-kit';
import { FaultyWorld, faultyTools } from './faulty-tools.js';

/** The faulty tools as an external pack: each child process has its own world. */
export const pack: Pack = { name: 'outside', version: '1.0.0', tools: faultyTools(new FaultyWorld()) };
