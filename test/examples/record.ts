import { writeFileSync } from 'node:fs';
import { EXAMPLES_FILE } from '@countersign/gateway/testing/api-document';
import { recordExamples } from './example-platform.js';

/** `npm run examples`: an example of each operation, as a platform of its own answers it. */
const lines = Object.entries(await recordExamples()).map(([name, example]) => `${JSON.stringify(name)}: ${JSON.stringify(example)}`);
writeFileSync(EXAMPLES_FILE, `{\n${lines.join(',\n')}\n}\n`);
console.log(`${lines.length} examples written: npm run client puts them into /openapi.json`);
process.exit(0);
