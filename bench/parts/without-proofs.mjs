// Loaded by `node --import` into a process that a bench compares: turns off hashes of causes, cuts and the tree of cases. Only for measuring.

import { StartRecorder } from '../../apps/executor/dist/recording/start-recorder.js';
import { CaseWriter } from '../../apps/projector/dist/audit/cases/case-writer.js';
import { CutEnds } from '../../apps/projector/dist/audit/cut-ends.js';
import { ReadRecord } from '../../libs/event-log/dist/transport/read-record.js';

function replace(owner, name, method) {
  if (!(name in owner.prototype)) throw new Error(`${owner.name} has no ${name}: fit bench/parts/without-proofs.mjs to the code`);
  Object.defineProperty(owner.prototype, name, { ...Object.getOwnPropertyDescriptor(owner.prototype, name), ...method });
}

const note = StartRecorder.prototype.note;
replace(ReadRecord, 'leaf_hash', { get: () => undefined });
replace(StartRecorder, 'note', {
  value(job, record, offset) {
    return note.call(this, job, { ...record, appended_at_ms: undefined, appended: undefined }, offset);
  },
});
replace(CutEnds, 'take', { value: async () => undefined });
replace(CutEnds, 'state', { value: async () => 'closed' });
replace(CaseWriter, 'start', { value: () => undefined });
replace(CaseWriter, 'take', { value: () => undefined });
replace(CaseWriter, 'covered', { value: () => undefined });
