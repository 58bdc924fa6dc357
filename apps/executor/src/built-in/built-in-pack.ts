import type { Pack } from '@countersign/tool-kit';
import { showSagaPlan } from './show-saga-plan.js';

/** Tools of the platform itself: every executor has them, whatever COUNTERSIGN_PACKS names. */
export const builtIn: Pack = { name: 'built-in', tools: [showSagaPlan] };
