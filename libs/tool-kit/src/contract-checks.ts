import { attemptChecks } from './checks/attempt-checks.js';
import type { Check } from './checks/check.js';
import { effectChecks } from './checks/effect-checks.js';
import { limitChecks } from './checks/limit-checks.js';
import { memoryChecks } from './checks/memory-checks.js';
import { resourceChecks } from './checks/resource-checks.js';
import { shapeChecks } from './checks/shape-checks.js';
import { tenantChecks } from './checks/tenant-checks.js';
import { undoChecks } from './checks/undo-checks.js';
import type { ToolProbe } from './tool-probe.js';

/** All checks that apply to this tool: its contract, schemas, effect class, key, attempts, resources, undo, memory, tenants and limits. */
export function contractChecks(probe: ToolProbe): Check[] {
  return [
    ...shapeChecks(probe),
    ...effectChecks(probe),
    ...attemptChecks(probe),
    ...resourceChecks(probe),
    ...undoChecks(probe),
    ...memoryChecks(probe),
    ...tenantChecks(probe),
    ...limitChecks(probe),
  ];
}
