// Loaded by `node --import` into a process that a bench measures: SIGUSR2 turns hashes of causes, cuts and the tree of cases off, and on again. Only
// for measuring: what is written while they are off is never counted in cases.

import { StartRecorder } from '../../apps/executor/dist/recording/start-recorder.js';
import { CaseWriter } from '../../apps/projector/dist/audit/cases/case-writer.js';
import { CutEnds } from '../../apps/projector/dist/audit/cut-ends.js';
import { ReadRecord } from '../../libs/event-log/dist/transport/read-record.js';

let isOff = false;
process.on('SIGUSR2', () => {
  isOff = !isOff;
});

/** `off`: what a method or getter does while proofs are off, on its object and with its arguments. */
function replace(owner, name, off) {
  const found = Object.getOwnPropertyDescriptor(owner.prototype, name);
  if (!found) throw new Error(`${owner.name} has no ${name}: fit bench/parts/proofs-switch.mjs to the code`);
  const own = found.get ?? found.value;
  function switched(...given) {
    return isOff ? off(this, given, own) : own.apply(this, given);
  }
  Object.defineProperty(owner.prototype, name, { ...found, ...(found.get ? { get: switched } : { value: switched }) });
}

replace(ReadRecord, 'leaf_hash', () => undefined);
replace(StartRecorder, 'note', (recorder, [job, record, offset], note) =>
  note.call(recorder, job, { ...record, appended_at_ms: undefined, appended: undefined }, offset),
);
replace(CutEnds, 'take', async () => undefined);
replace(CutEnds, 'state', async () => 'closed');
replace(CaseWriter, 'take', () => undefined);
replace(CaseWriter, 'covered', (writer, [{ number, moved }]) => {
  writer.move(moved);
  writer.next = number + 1;
});
