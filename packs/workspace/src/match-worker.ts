import { parentPort, workerData } from 'node:worker_threads';
import { linesMatching } from './line-search.js';
import type { MatchRequest } from './matching.js';

const { source, flags } = workerData as { source: string; flags: string };
const expression = new RegExp(source, flags);

parentPort?.on('message', (request: MatchRequest) => {
  if ('texts' in request) parentPort?.postMessage(request.texts.map((text) => expression.test(text)));
  else parentPort?.postMessage(linesMatching(request.search, request.limit, (line) => line.search(expression)));
});
