import { contractDigest } from '@countersign/contracts';
import { contractChecks } from './contract-checks.js';
import type { ContractTestOptions, EvalResult } from './eval-pack.js';
import type { Tool } from './tool.js';
import { ToolProbe } from './tool-probe.js';

const MESSAGE_MAX = 600;
const STYLES = new RegExp(`${String.fromCharCode(27)}\\[[0-9;]*m`, 'g');

/** Runs the eval pack of a tool: every check with its own counterpart, one after the other. Never rejects because of the tool. */
export async function verifyTool(tool: Tool, options: ContractTestOptions, now: () => Date): Promise<EvalResult> {
  const cases: EvalResult['cases'] = [];
  for (const check of contractChecks(new ToolProbe(tool, options))) {
    try {
      await options.counterpart?.prepare?.();
      await check.run();
      cases.push({ title: check.title, passed: true });
    } catch (error) {
      const message = (error instanceof Error ? error.message : String(error)).replaceAll(STYLES, '').slice(0, MESSAGE_MAX);
      cases.push({ title: check.title, passed: false, message });
    } finally {
      await options.counterpart?.clean?.();
    }
  }
  const passed = cases.filter((each) => each.passed).length;
  const { name, version } = tool.contract;
  return {
    tool: name,
    version,
    contract_digest: contractDigest(tool.contract),
    passed,
    failed: cases.length - passed,
    cases,
    verified_at: now().toISOString(),
  };
}
