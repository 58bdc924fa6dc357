import type { Pack } from '@countersign/tool-kit';
import { aggregateObjects } from './aggregate-objects/aggregate-objects.js';
import { classifyDocument } from './classify-document/classify-document.js';
import { composeLetter } from './compose-letter/compose-letter.js';
import { convertAmount } from './convert-amount/convert-amount.js';
import { extractProperty } from './extract-property/extract-property.js';
import { lookupRecord } from './lookup-record/lookup-record.js';
import { ROOT_SETTING } from './records.js';
import { requestApproval } from './request-approval/request-approval.js';
import { searchCorpus } from './search-corpus/search-corpus.js';
import { stageAction } from './stage-action/stage-action.js';
import { validateInvoice } from './validate-invoice/validate-invoice.js';

/**
 * One tool for each of the ten patterns, over records in COUNTERSIGN_RECORDS_ROOT: `<tenant>/…`, then `shared/…`, then the pack's own
 * data.
 */
export const pack: Pack = {
  name: 'patterns',
  evaluations: new URL('../eval/', import.meta.url),
  settings: { [ROOT_SETTING]: './records' },
  folders: [{ variable: ROOT_SETTING }],
  tools: [
    aggregateObjects,
    classifyDocument,
    composeLetter,
    convertAmount,
    extractProperty,
    lookupRecord,
    requestApproval,
    searchCorpus,
    stageAction,
    validateInvoice,
  ],
};
