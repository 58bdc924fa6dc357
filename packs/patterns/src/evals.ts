import type { EvalPacks } from '@countersign/tool-kit/eval-pack';
import { aggregateObjectsEval } from './aggregate-objects/aggregate-objects.eval.js';
import { classifyDocumentEval } from './classify-document/classify-document.eval.js';
import { composeLetterEval } from './compose-letter/compose-letter.eval.js';
import { convertAmountEval } from './convert-amount/convert-amount.eval.js';
import { extractPropertyEval } from './extract-property/extract-property.eval.js';
import { lookupRecordEval } from './lookup-record/lookup-record.eval.js';
import { requestApprovalEval } from './request-approval/request-approval.eval.js';
import { searchCorpusEval } from './search-corpus/search-corpus.eval.js';
import { stageActionEval } from './stage-action/stage-action.eval.js';
import { validateInvoiceEval } from './validate-invoice/validate-invoice.eval.js';

/** The eval packs of this pack's tools. */
export const evals: EvalPacks = {
  aggregate_objects: aggregateObjectsEval,
  classify_document: classifyDocumentEval,
  compose_letter: composeLetterEval,
  convert_amount: convertAmountEval,
  extract_property: extractPropertyEval,
  lookup_record: lookupRecordEval,
  request_approval: requestApprovalEval,
  search_corpus: searchCorpusEval,
  stage_action: stageActionEval,
  validate_invoice: validateInvoiceEval,
};
