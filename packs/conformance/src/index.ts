import type { Pack } from '@countersign/tool-kit';
import { askingTools } from './asking-tools/asking-tools.js';
import { contentTools } from './content-tools/content-tools.js';
import { schemaTools } from './schema-tools/schema-tools.js';
import { taskTools } from './task-tools/task-tools.js';

/** The tools that the MCP conformance suite calls. Never in production: loopback may call them without a token. */
export const pack: Pack = { name: 'conformance', tools: [...askingTools, ...contentTools, ...schemaTools, ...taskTools] };
