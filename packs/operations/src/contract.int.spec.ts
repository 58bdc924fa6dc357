import { type ContractTestOptions, contractTests } from '@countersign/tool-kit/contract-tests';
import { evals } from './evals.js';
import { pack } from './index.js';

for (const tool of pack.tools) contractTests(tool, evals[tool.contract.name] as ContractTestOptions);
