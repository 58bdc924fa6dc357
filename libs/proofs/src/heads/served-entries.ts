import type { Cut } from '@countersign/verifier';
import { strictBase64 } from '../bytes/strict-base64.js';
import { HASH_BYTES } from '../merkle/hashing.js';
import { type Generation, readGeneration, type TreeHead } from '../record/tree-heads.js';
import { DECISIONS, type Decision, type ProvenDecision } from './openings.js';

/** The wire and file form of a tree head: topic, partition, size, root in base64, and the generation if it is not the original tree. */
export type WireHead = [topic: string, partition: number, size: number, root: string, generation?: Generation];

/**
 * The wire form of a move: the new head of a tree, and the consistency proof from its head in the previous entry (base64, RFC 9162 section
 * 2.1.4.1).
 */
export type WireMove = [topic: string, partition: number, size: number, root: string, path: string[], generation?: Generation];

/** The wire form of a `damage_accepted` that allows generations to be opened: the record, and its proof under the entry that opens them. */
export interface WireDecision {
  offset: number;
  timestamp_ms: number;
  key: string | null;
  headers: Record<string, string>;
  /** Base64: Avro in the Confluent wire format. */
  value: string;
  /** Text of the Avro schema with which the value was written. */
  schema: string;
  /** Path of the record in the tree of `configuration-changed/0` at this entry (base64, RFC 9162 section 2.1.3.1). */
  path: string[];
}

/** One entry of the tree that checkpoints sign, with every tree that changed in it. */
export interface ServedEntry {
  number: number;
  time_ms: number;
  moved: WireMove[];
  /** Absent in entries of earlier releases. */
  cut?: Cut;
  /** Only in an entry that opens generations. */
  decisions?: WireDecision[];
}

/** Consecutive entries, and the checkpoint that ends with the last of them. */
export interface ServedEntries {
  /** Number of the first entry: the size of the previous checkpoint. */
  first: number;
  entries: ServedEntry[];
  /** C2SP signed note. */
  checkpoint: string;
}

/** The last entry of a checkpoint, with the heads of all trees. */
export interface CoveredHeads {
  entry: { number: number; time_ms: number; path: string[]; cut?: Cut };
  heads: WireHead[];
  /** C2SP signed note. */
  checkpoint: string;
}

/** A parsed move of a tree. */
export interface TreeMove {
  head: TreeHead;
  path: Buffer[];
}

const TOPIC = /^[A-Za-z0-9._-]{1,255}$/;
const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0;

export function wireHead({ topic, partition, size, root, generation }: TreeHead): WireHead {
  const text = root.toString('base64');
  return generation ? [topic, partition, size, text, generation] : [topic, partition, size, text];
}

export function wireMove({ topic, partition, size, root, generation }: TreeHead, path: readonly Buffer[]): WireMove {
  const [text, hashes] = [root.toString('base64'), path.map((hash) => hash.toString('base64'))];
  return generation ? [topic, partition, size, text, hashes, generation] : [topic, partition, size, text, hashes];
}

/** Parses a hash of 32 bytes. @throws RangeError for any other text */
function hashOf(text: unknown): Buffer {
  const bytes = strictBase64(String(text));
  if (bytes.length !== HASH_BYTES) throw new RangeError('a hash has 32 bytes');
  return bytes;
}

/** @throws RangeError if the input is not a head */
export function readHead([topic, partition, size, root, generation]: readonly unknown[]): TreeHead {
  if (typeof topic !== 'string' || !TOPIC.test(topic) || !isCount(partition) || !isCount(size))
    throw new RangeError('not a head of a tree');
  const head = { topic, partition, size, root: hashOf(root) };
  return generation === undefined ? head : { ...head, generation: readGeneration(generation as Generation) };
}

/** @throws RangeError if the input is not a move */
export function readMove([topic, partition, size, root, path, generation]: WireMove): TreeMove {
  return { head: readHead([topic, partition, size, root, generation]), path: readPath(path) };
}

/** @throws RangeError if one is not a hash */
export function readPath(path: readonly string[]): Buffer[] {
  return path.map(hashOf);
}

/** Decodes the record of a decision; undefined for any other record, or for an unknown schema. */
export type ReadDecision = (value: Buffer, schema: string) => Decision | undefined;

/** @throws RangeError if the input is not the record of a decision */
export function readDecisions(decisions: readonly WireDecision[], read: ReadDecision): ProvenDecision[] {
  return decisions.map(({ offset, timestamp_ms, key, headers, value: text, schema, path }) => {
    const value = strictBase64(text);
    const decision = read(value, schema);
    if (!decision || !isCount(offset)) throw new RangeError('not a record of a decision');
    return { record: { ...DECISIONS, offset, timestamp_ms, key, headers, value }, path: readPath(path), decision };
  });
}
