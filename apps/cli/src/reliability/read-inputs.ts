import { readFile, stat } from 'node:fs/promises';
import { bytesMaxOf, NO_RATES, type RatesFile, readDefinition, readRates, type TextFormat, textValue } from '@countersign/definitions';
import { type DefinitionFault, faultAt, type SagaDefinition, sagaShapeFaults, sagaSizeFaults } from '@countersign/domain';

/** A file that cannot be used: each line is for people. */
export class UnusableFile extends Error {
  constructor(
    readonly file: string,
    readonly faults: readonly DefinitionFault[],
  ) {
    super(`${file} cannot be used`);
  }
}

async function contentOf(file: string): Promise<unknown> {
  const unusable = (message: string) => new UnusableFile(file, [faultAt(null, '', message)]);
  const format: TextFormat = file.endsWith('.json') ? 'json' : 'yaml';
  try {
    // A file that is far too large, or endless, is not read.
    const found = await stat(file);
    if (!found.isFile()) throw unusable('is not a file');
    if (found.size > bytesMaxOf(format))
      throw unusable(`has ${found.size} bytes, at most ${bytesMaxOf(format)} are read as ${format.toUpperCase()}`);
    const read = textValue(await readFile(file, 'utf8'), format);
    if ('fault' in read) throw unusable(read.fault);
    return read.value;
  } catch (cause) {
    throw cause instanceof UnusableFile ? cause : unusable(`cannot be read: ${(cause as Error).message}`);
  }
}

/** The definition of a file; its tools are not looked at. @throws UnusableFile */
export async function definitionOf(file: string): Promise<SagaDefinition> {
  const read = readDefinition(await contentOf(file));
  if ('faults' in read) throw new UnusableFile(file, read.faults);
  const { definition } = read;
  const size = sagaSizeFaults(definition);
  const faults = size.length > 0 ? size : sagaShapeFaults(definition, []);
  if (faults.length > 0) throw new UnusableFile(file, faults);
  return definition;
}

/** @throws UnusableFile */
export async function ratesOf(file: string | undefined): Promise<RatesFile> {
  if (file === undefined) return NO_RATES;
  const read = readRates(await contentOf(file));
  if ('faults' in read) throw new UnusableFile(file, read.faults);
  return read.rates;
}
