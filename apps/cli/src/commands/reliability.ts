import { parseArgs } from 'node:util';
import { checkDefinition, placedUses, ratesFaults, type SagaDefinition, sagaPlacesWithin, sagaRootOf } from '@countersign/domain';
import type { Command, Outcome } from '../command.js';
import { type Api, apiOf, Refused } from '../operator-api.js';
import { type Assessment, assess } from '../reliability/assess.js';
import { chainRates, ratedLevels, unknownNames } from '../reliability/rated-chain.js';
import { definitionOf, ratesOf, UnusableFile } from '../reliability/read-inputs.js';
import { findingLine, reportLines } from '../reliability/report.js';
import { ServerRates } from '../reliability/server-rates.js';
import { FileRates, type RateReader } from '../reliability/tool-rates.js';

const RUNS_MAX = 10_000_000;
const options = {
  url: { type: 'string' },
  key: { type: 'string' },
  rates: { type: 'string' },
  runs: { type: 'string', default: '100000' },
  seed: { type: 'string', default: '1' },
  'default-rate': { type: 'string', default: '0.9' },
  json: { type: 'boolean', default: false },
} as const;

class WrongUsage extends Error {}

function numberOf(name: string, text: string, { max, is_whole }: { max: number; is_whole: boolean }): number {
  const value = /^\d+(\.\d+)?$/.test(text) ? Number(text) : Number.NaN;
  if (!(value <= max) || (is_whole && !Number.isInteger(value)))
    throw new WrongUsage(`--${name} ${text}: ${is_whole ? 'a whole number' : 'a number'} from 0 to ${max}`);
  return value;
}

const toolsOf = (definition: SagaDefinition): string[] =>
  sagaPlacesWithin(sagaRootOf(definition)).flatMap(({ block, pointer }) =>
    block.kind === 'step' ? placedUses(block, pointer).map(({ use }) => use.tool) : [],
  );

/** The tools of a running server. The definition is checked against them as when it is published. @throws UnusableFile, Refused */
async function serverRates(file: string, definition: SagaDefinition, server: ServerRates): Promise<RateReader> {
  const found = checkDefinition(definition, await server.read(toolsOf(definition)));
  const faults = found.filter(({ severity }) => severity === 'fault');
  if (faults.length > 0) throw new UnusableFile(file, faults);
  return server;
}

interface Options {
  rates?: string;
  runs: string;
  seed: string;
  'default-rate': string;
}

const numbersOf = (values: Options) => ({
  runs: numberOf('runs', values.runs, { max: RUNS_MAX, is_whole: true }),
  seed: numberOf('seed', values.seed, { max: 2 ** 32 - 1, is_whole: true }),
  default_rate: numberOf('default-rate', values['default-rate'], { max: 1, is_whole: false }),
});

/** @throws UnusableFile, WrongUsage, Refused */
async function assessed(file: string, values: Options, connect: () => Promise<Api>): Promise<Assessment> {
  const { runs, seed, default_rate } = numbersOf(values);
  const definition = await definitionOf(file);
  const given = await ratesOf(values.rates);
  const unknown = unknownNames(definition, given);
  if (unknown.length > 0) throw new UnusableFile(values.rates as string, unknown);
  const server = Object.keys(given.tools).length === 0 ? new ServerRates(await connect(), default_rate) : undefined;
  const reader = server ? await serverRates(file, definition, server) : new FileRates(given, default_rate);
  const levels = await ratedLevels(definition, reader);
  const faults = ratesFaults(definition, chainRates(levels, given));
  if (faults.length > 0) throw new UnusableFile(file, faults);
  return assess(definition, levels, given, { runs, seed, unread: server?.usage_fault ?? null });
}

const wrong = (line: string): Outcome => ({ code: 2, lines: [line, `usage: npm run reliability -- ${reliability.usage}`] });

function refused(cause: unknown): Outcome {
  if (cause instanceof UnusableFile)
    return { code: 1, lines: [`${cause.message}:`, ...cause.faults.map((fault) => `  ${findingLine(fault)}`)] };
  if (cause instanceof Refused) return { code: 1, lines: [cause.message] };
  if (cause instanceof WrongUsage || (cause instanceof TypeError && 'code' in cause)) return wrong(cause.message);
  throw cause;
}

/** `countersign reliability`: predicts how reliable and how fast a saga is, and simulates it. */
export const reliability: Command = {
  name: 'reliability',
  usage:
    '<definition.yaml|.json> [--rates <file>] [--runs 100000] [--seed 1] [--default-rate 0.9] [--json]  [--url http://127.0.0.1:7070] [--key <api key>]',
  about:
    'predicts the end-to-end reliability and latency of a saga definition from trust data or a file of rates, and simulates it; exit code 1 where they disagree',
  async run(args, env) {
    try {
      const { values, positionals } = parseArgs({ args: [...args], allowPositionals: true, options });
      const [file, ...more] = positionals;
      if (file === undefined || more.length > 0) return wrong('expected one definition file');
      const assessment = await assessed(file, values, () => apiOf(values, env));
      const lines = values.json ? [JSON.stringify(assessment, null, 2)] : reportLines(assessment);
      return { code: assessment.simulation?.agrees === false ? 1 : 0, lines };
    } catch (cause) {
      return refused(cause);
    }
  },
};
