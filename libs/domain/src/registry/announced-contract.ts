import { contractDigest, contractPin, type EventMap, type ToolContract } from '@countersign/contracts';

type Registered = EventMap['tool_registered'];

/** The contract of an announcement, with the digest of all of it and that of what callers agreed to. Must not be changed: readers share it. */
export interface AnnouncedContract {
  readonly contract: ToolContract;
  readonly digest: string;
  readonly pin: string;
}

/** By event: all readers in a process get the same one, and digesting a large contract takes a millisecond of the thread. */
const read = new WeakMap<Registered, AnnouncedContract | null>();

function contractIn({ contract_json }: Registered): AnnouncedContract | null {
  try {
    const contract = JSON.parse(contract_json) as ToolContract | null;
    if (typeof contract !== 'object' || contract === null) return null;
    return { contract, digest: contractDigest(contract), pin: contractPin(contract) };
  } catch {
    return null;
  }
}

/** Undefined: it cannot be read. */
export function announcedContract(event: Registered): AnnouncedContract | undefined {
  if (!read.has(event)) read.set(event, contractIn(event));
  return read.get(event) ?? undefined;
}
